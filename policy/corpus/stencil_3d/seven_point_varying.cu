// Heat conduction with a conductivity per cell (harmonic means at the faces),
// double precision, one thread per cell of a box.
#include "../corpus.h"

#define IDX(i, j, k) (((k) * ny + (j)) * nx + (i))

__device__ double face(double a, double b) { return 2.0 * a * b / (a + b); }

__global__ void conduct(double *T, double *K, double *Tnew, int nx, int ny,
                        int nz, double dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  int k = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < 1 || j < 1 || k < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1)
    return;
  double flow = 0.0;
  double here = K[IDX(i, j, k)];
  flow +=
      face(here, K[IDX(i + 1, j, k)]) * (T[IDX(i + 1, j, k)] - T[IDX(i, j, k)]);
  flow +=
      face(here, K[IDX(i - 1, j, k)]) * (T[IDX(i - 1, j, k)] - T[IDX(i, j, k)]);
  flow +=
      face(here, K[IDX(i, j + 1, k)]) * (T[IDX(i, j + 1, k)] - T[IDX(i, j, k)]);
  flow +=
      face(here, K[IDX(i, j - 1, k)]) * (T[IDX(i, j - 1, k)] - T[IDX(i, j, k)]);
  flow +=
      face(here, K[IDX(i, j, k + 1)]) * (T[IDX(i, j, k + 1)] - T[IDX(i, j, k)]);
  flow +=
      face(here, K[IDX(i, j, k - 1)]) * (T[IDX(i, j, k - 1)] - T[IDX(i, j, k)]);
  Tnew[IDX(i, j, k)] = T[IDX(i, j, k)] + dt * flow;
}

int main(int argc, char **argv) {
  int nx = 144;
  corpus::parseSize(argc, argv, "--nx", &nx, 21);
  int ny = nx, nz = nx + 2;
  size_t cells = (size_t)nx * ny * nz;
  double *T, *K, *Tnew;
  CUDA_CHECK(cudaMalloc(&T, cells * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&K, cells * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&Tnew, cells * sizeof(double)));
  corpus::fill(T, cells, 280.0, 320.0, 2);
  corpus::fill(K, cells, 0.5, 2.0, 3);
  CUDA_CHECK(
      cudaMemcpy(Tnew, T, cells * sizeof(double), cudaMemcpyDeviceToDevice));
  dim3 block(8, 8, 8);
  dim3 grid((nx + 7) / 8, (ny + 7) / 8, (nz + 7) / 8);
  for (int s = 0; s < 4; s++) {
    conduct<<<grid, block>>>(T, K, Tnew, nx, ny, nz, 0.05);
    std::swap(T, Tnew);
  }
  corpus::printChecksum("temperature", T, cells);
  cudaFree(T);
  cudaFree(K);
  cudaFree(Tnew);
}
