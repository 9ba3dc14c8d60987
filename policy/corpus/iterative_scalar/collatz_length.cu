// Length of the Collatz sequence of each number, and the longest of them by
// atomicMax.
#include "../corpus.h"

__global__ void collatz(int *length, int *longest, int first, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    unsigned long long n = first + i;
    length[i] = 0;
    while (n != 1) {
      if (n % 2 == 0)
        n = n / 2;
      else
        n = 3 * n + 1;
      length[i]++;
    }
    atomicMax(longest, length[i]);
  }
}

int main(int argc, char **argv) {
  int count = 2000000;
  corpus::parseSize(argc, argv, "--count", &count, 400);
  int *length, *longest;
  CUDA_CHECK(cudaMalloc(&length, count * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&longest, sizeof(int)));
  CUDA_CHECK(cudaMemset(longest, 0, sizeof(int)));
  for (int part = 0; part < 3; part++)
    collatz<<<(count + 191) / 192, 192>>>(length, longest, 1 + part * count,
                                          count);
  corpus::printChecksum("length", length, count);
  corpus::printChecksum("longest", longest, 1);
  cudaFree(length);
  cudaFree(longest);
}
