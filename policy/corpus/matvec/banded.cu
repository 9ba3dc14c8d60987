// A banded matrix, a row of the band for each row, bounds tests in the loop.
#include "../corpus.h"

#define HALF_BAND 12
#define BAND (2 * HALF_BAND + 1)

__global__ void bandedMatvec(float *band, float *x, float *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    y[row] = 0.0f;
    for (int d = -HALF_BAND; d <= HALF_BAND; d++) {
      int col = row + d;
      if (col >= 0 && col < n)
        y[row] += band[row * BAND + d + HALF_BAND] * x[col];
    }
  }
}

int main(int argc, char **argv) {
  int n = 1000000;
  corpus::parseSize(argc, argv, "--n", &n, 501);
  float *band, *x, *y;
  CUDA_CHECK(cudaMalloc(&band, sizeof(float) * n * BAND));
  CUDA_CHECK(cudaMalloc(&x, sizeof(float) * n));
  CUDA_CHECK(cudaMalloc(&y, sizeof(float) * n));
  corpus::fill(band, (size_t)n * BAND, 0.0, 1.0, 11);
  corpus::fill(x, n, 0.0, 1.0, 12);
  for (int i = 0; i < 4; i++)
    bandedMatvec<<<(n + 255) / 256, 256>>>(band, x, y, n);
  corpus::printChecksum("y", y, n);
  cudaFree(band);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
