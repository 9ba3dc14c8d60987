// Counts of the digits of one radix pass: per block in shared memory with
// atomics, then written digit by digit so that a scan can follow.
#include "../corpus.h"

#define DIGITS 16

__global__ void countDigits(unsigned *keys, unsigned *counts, int n, int shift,
                            int perBlock) {
  __shared__ unsigned local[DIGITS];
  if (threadIdx.x < DIGITS)
    local[threadIdx.x] = 0;
  __syncthreads();
  int begin = blockIdx.x * perBlock;
  for (int k = threadIdx.x; k < perBlock; k += blockDim.x)
    if (begin + k < n)
      atomicAdd(&local[(keys[begin + k] >> shift) % DIGITS], 1);
  __syncthreads();
  if (threadIdx.x < DIGITS)
    counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

int main(int argc, char **argv) {
  int n = 16000000, perBlock = 4096;
  corpus::parseSize(argc, argv, "--n", &n, 5000);
  corpus::parseSize(argc, argv, "--per-block", &perBlock, 700);
  int blocks = (n + perBlock - 1) / perBlock;
  unsigned *keys, *counts;
  CUDA_CHECK(cudaMalloc(&keys, n * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&counts, DIGITS * blocks * sizeof(unsigned)));
  corpus::fill(keys, n, 0, 1 << 24, 13);
  for (int shift = 0; shift < 20; shift += 4)
    countDigits<<<blocks, 256>>>(keys, counts, n, shift, perBlock);
  corpus::printChecksum("counts", counts, (size_t)DIGITS * blocks);
  cudaFree(keys);
  cudaFree(counts);
}
