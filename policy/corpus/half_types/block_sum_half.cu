// Sums of blocks of halves: a tree in shared memory on floats.
#include "../corpus.h"

#include <cuda_fp16.h>

#define N_THREADS 256

__global__ void sumHalves(const __half *v, float *sums, int n) {
  __shared__ float s[N_THREADS];
  int i = blockIdx.x * N_THREADS + threadIdx.x;
  s[threadIdx.x] = i < n ? __half2float(v[i]) : 0.0f;
  __syncthreads();
  for (int d = N_THREADS / 2; d > 0; d >>= 1) {
    if (threadIdx.x < d)
      s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = s[0];
}

int main(int argc, char **argv) {
  int n = 24000000;
  corpus::parseSize(argc, argv, "--n", &n, 5001);
  int blocks = (n + N_THREADS - 1) / N_THREADS;
  __half *v;
  float *sums;
  CUDA_CHECK(cudaMalloc(&v, n * sizeof(__half)));
  CUDA_CHECK(cudaMalloc(&sums, blocks * sizeof(float)));
  corpus::fill(v, n, 0.0, 1.0, 3);
  for (int i = 0; i < 3; i++)
    sumHalves<<<blocks, N_THREADS>>>(v, sums, n);
  corpus::printChecksum("sums", sums, blocks);
  CUDA_CHECK(cudaFree(v));
  CUDA_CHECK(cudaFree(sums));
  return 0;
}
