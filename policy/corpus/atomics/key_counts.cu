// How often each of 65536 keys occurs, spread widely; the key is a hash of a
// 64-bit number.
#include "../corpus.h"

#include <cstdint>

__device__ uint32_t hashOf(uint64_t v) {
  v ^= v >> 33;
  v *= 0xff51afd7ed558ccdULL;
  v ^= v >> 33;
  return (uint32_t)v;
}

__global__ void countKeys(const uint64_t *values, int *counts, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(counts + (hashOf(values[i]) & 0xffff), 1);
}

int main(int argc, char **argv) {
  int n = 5000000;
  corpus::parseSize(argc, argv, "--n", &n, 3005);
  uint64_t *values;
  int *counts;
  CUDA_CHECK(cudaMalloc(&values, n * sizeof(uint64_t)));
  CUDA_CHECK(cudaMalloc(&counts, 65536 * sizeof(int)));
  CUDA_CHECK(cudaMemset(counts, 0, 65536 * sizeof(int)));
  corpus::fill(values, n, 0.0, 1e15, 91);
  const unsigned threads = 384;
  for (int i = 0; i < 4; i++)
    countKeys<<<(n + threads - 1) / threads, threads>>>(values, counts, n);
  corpus::printChecksum("counts", counts, 65536);
  cudaFree(values);
  cudaFree(counts);
  return 0;
}
