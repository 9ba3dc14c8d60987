// Divergence of three separate components by one-sided differences; the slowest
// axis of the memory is the fastest of the launch.
#include "../corpus.h"

__global__ void divergence(const float *u, const float *v, const float *w,
                           float *div, int nx, int ny, int nz, float h) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (k >= nz - 1 || i >= nx - 1)
    return;
  for (int j = 0; j < ny - 1; j++)
    div[(k * ny + j) * nx + i] =
        (u[(k * ny + j) * nx + i + 1] - u[(k * ny + j) * nx + i]) / h +
        (v[(k * ny + j + 1) * nx + i] - v[(k * ny + j) * nx + i]) / h +
        (w[((k + 1) * ny + j) * nx + i] - w[(k * ny + j) * nx + i]) / h;
}

int main(int argc, char **argv) {
  int nx = 200, ny = 100, nz = 160;
  corpus::parseSize(argc, argv, "--nx", &nx, 19);
  corpus::parseSize(argc, argv, "--ny", &ny, 12);
  corpus::parseSize(argc, argv, "--nz", &nz, 17);
  size_t n = (size_t)nx * ny * nz;
  float *field[3], *div;
  for (int d = 0; d < 3; d++) {
    CUDA_CHECK(cudaMalloc(&field[d], n * sizeof(float)));
    corpus::fill(field[d], n, -1.0, 1.0, 60 + d);
  }
  CUDA_CHECK(cudaMalloc(&div, n * sizeof(float)));
  CUDA_CHECK(cudaMemset(div, 0, n * sizeof(float)));
  dim3 block(16, 16), grid((nz + 15) / 16, (nx + 15) / 16);
  for (int i = 0; i < 3; i++)
    divergence<<<grid, block>>>(field[0], field[1], field[2], div, nx, ny, nz,
                                0.5f);
  corpus::printChecksum("divergence", div, n);
  for (int d = 0; d < 3; d++)
    cudaFree(field[d]);
  cudaFree(div);
}
