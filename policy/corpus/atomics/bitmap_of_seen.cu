// Marks each number that occurs in a bitmap, and counts those that are odd in
// blocks' own counters.
#include "../corpus.h"

__global__ void markSeen(unsigned *numbers, unsigned *bitmap, int *oddInBlock,
                         int n, unsigned limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned v = numbers[i] % limit;
    atomicOr(&bitmap[v / 32], 1u << (v % 32));
    if (v % 2 == 1)
      atomicAdd(&oddInBlock[blockIdx.x], 1);
  }
}

int main(int argc, char **argv) {
  int n = 4 << 20, limit = 1 << 22;
  corpus::parseSize(argc, argv, "--n", &n, 2500);
  corpus::parseSize(argc, argv, "--limit", &limit, 5000);
  int blocks = (n + 255) / 256;
  size_t words = (limit + 31) / 32;
  unsigned *numbers, *bitmap;
  int *oddInBlock;
  CUDA_CHECK(cudaMalloc(&numbers, n * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&bitmap, words * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&oddInBlock, blocks * sizeof(int)));
  corpus::fill(numbers, n, 0.0, 4.0e9, 30);
  for (int i = 0; i < 4; i++) {
    CUDA_CHECK(cudaMemset(bitmap, 0, words * sizeof(unsigned)));
    CUDA_CHECK(cudaMemset(oddInBlock, 0, blocks * sizeof(int)));
    markSeen<<<blocks, 256>>>(numbers, bitmap, oddInBlock, n, limit);
  }
  corpus::printChecksum("bitmap", bitmap, words);
  corpus::printChecksum("odd", oddInBlock, blocks);
  cudaFree(numbers);
  cudaFree(bitmap);
  cudaFree(oddInBlock);
  return 0;
}
