// Eighth-order Laplacian (a star of radius 4) with coefficients from memory, as
// in seismic codes; the volume has a halo.
#include "../corpus.h"

const int R = 4;

__global__ void laplace8(float *p, float *lap, float *coef, int nx, int ny,
                         int nz) {
  int ix = blockIdx.x * blockDim.x + threadIdx.x + R;
  int iy = blockIdx.y * blockDim.y + threadIdx.y + R;
  int sx = nx + 2 * R, sy = ny + 2 * R;
  if (ix < nx + R && iy < ny + R) {
    for (int iz = R; iz < nz + R; iz++) {
      int c = iz * sy * sx + iy * sx + ix;
      lap[c] = 3.0f * coef[0] * p[c];
      for (int r = 1; r <= R; r++) {
        lap[c] += coef[r] * (p[c + r] + p[c - r]);
        lap[c] += coef[r] * (p[c + r * sx] + p[c - r * sx]);
        lap[c] += coef[r] * (p[c + r * sx * sy] + p[c - r * sx * sy]);
      }
    }
  }
}

int main(int argc, char **argv) {
  int nx = 160;
  corpus::parseSize(argc, argv, "--nx", &nx, 19);
  int ny = nx, nz = nx / 2;
  size_t total = (size_t)(nx + 2 * R) * (ny + 2 * R) * (nz + 2 * R);
  float weights[R + 1] = {-2.847222f, 1.6f, -0.2f, 0.02539683f, -0.001785714f};
  float *p, *lap, *coef;
  CUDA_CHECK(cudaMalloc(&p, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&lap, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&coef, sizeof(weights)));
  CUDA_CHECK(cudaMemset(lap, 0, total * sizeof(float)));
  CUDA_CHECK(
      cudaMemcpy(coef, weights, sizeof(weights), cudaMemcpyHostToDevice));
  corpus::fill(p, total, -1.0, 1.0, 13);
  dim3 block(16, 16), grid((nx + 15) / 16, (ny + 15) / 16);
  for (int i = 0; i < 3; i++)
    laplace8<<<grid, block>>>(p, lap, coef, nx, ny, nz);
  corpus::printChecksum("laplace", lap, total);
  cudaFree(p);
  cudaFree(lap);
  cudaFree(coef);
}
