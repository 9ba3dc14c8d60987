// Dropout with a mask of bytes that a hash of the place makes, and its
// backward step.
#include "../corpus.h"

__global__ void dropout(const float *x, float *y, unsigned char *mask, int n,
                        float p, unsigned seed) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) {
    unsigned h = i * 0x9E3779B1u ^ seed;
    h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
    h = (h ^ (h >> 13)) * 0xC2B2AE35u;
    h ^= h >> 16;
    mask[i] = (h * (1.0 / 4294967296.0)) >= p ? 1 : 0;
    y[i] = x[i] * mask[i] / (1.0 - p);
  }
}

__global__ void dropoutBackward(const float *dy, const unsigned char *mask,
                                float *dx, int n, float p) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n)
    dx[i] = dy[i] * mask[i] / (1.0 - p);
}

int main(int argc, char **argv) {
  int n = 4000000;
  corpus::parseSize(argc, argv, "--n", &n, 2500);
  float *x, *y, *dx;
  unsigned char *mask;
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dx, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&mask, n));
  corpus::fill(x, n, -1.0, 1.0, 6);
  int grid = (n + 511) / 512;
  for (unsigned step = 0; step < 3; step++) {
    dropout<<<grid, 512>>>(x, y, mask, n, 0.1f, step);
    dropoutBackward<<<grid, 512>>>(y, mask, dx, n, 0.1f);
  }
  corpus::printChecksum("y", y, n);
  corpus::printChecksum("dx", dx, n);
  cudaFree(x);
  cudaFree(y);
  cudaFree(dx);
  cudaFree(mask);
}
