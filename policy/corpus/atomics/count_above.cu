// Readings above a limit, and how many of them are extreme: two counters that
// all threads share.
#include "../corpus.h"

__global__ void countAbove(float *readings, float limit,
                           unsigned long long *above,
                           unsigned long long *extreme, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (readings[i] > limit)
      atomicAdd(above, 1ULL);
    if (readings[i] > 2.0 * limit)
      atomicAdd(extreme, 1ULL);
  }
}

int main(int argc, char **argv) {
  int n = 12000000;
  corpus::parseSize(argc, argv, "--n", &n, 4003);
  float *readings;
  unsigned long long *above, *extreme;
  CUDA_CHECK(cudaMalloc(&readings, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&above, sizeof *above));
  CUDA_CHECK(cudaMalloc(&extreme, sizeof *extreme));
  corpus::fill(readings, n, 0.0, 10.0, 4);
  for (int i = 0; i < 3; i++) {
    CUDA_CHECK(cudaMemset(above, 0, sizeof *above));
    CUDA_CHECK(cudaMemset(extreme, 0, sizeof *extreme));
    countAbove<<<(n + 255) / 256, 256>>>(readings, 4.0f, above, extreme, n);
  }
  corpus::printChecksum("above", above, 1);
  corpus::printChecksum("extreme", extreme, 1);
  cudaFree(readings);
  cudaFree(above);
  cudaFree(extreme);
  return 0;
}
