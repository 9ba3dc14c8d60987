// Whether any value of a block is not finite, and whether all are positive:
// flags in shared memory, combined by | and &.
#include "../corpus.h"

__global__ void flags(float *values, int *anyBad, int *allPositive, int n) {
  __shared__ int bad[1024], positive[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bad[threadIdx.x] = i < n ? !isfinite(values[i]) : 0;
  positive[threadIdx.x] = i < n ? values[i] > 0.0f : 1;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) {
      bad[threadIdx.x] |= bad[threadIdx.x + s];
      positive[threadIdx.x] &= positive[threadIdx.x + s];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    anyBad[blockIdx.x] = bad[0];
    allPositive[blockIdx.x] = positive[0];
  }
}

int main(int argc, char **argv) {
  int n = 16000000;
  corpus::parseSize(argc, argv, "--n", &n, 5003);
  int blocks = (n + 1023) / 1024;
  float *values;
  int *anyBad, *allPositive;
  CUDA_CHECK(cudaMalloc(&values, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&anyBad, blocks * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&allPositive, blocks * sizeof(int)));
  corpus::fill(values, n, -0.001, 1.0, 81);
  const float infinite = HUGE_VALF;
  CUDA_CHECK(cudaMemcpy(values + n / 3, &infinite, sizeof(float),
                        cudaMemcpyHostToDevice));
  for (int i = 0; i < 3; i++)
    flags<<<blocks, 1024>>>(values, anyBad, allPositive, n);
  corpus::printChecksum("bad", anyBad, blocks);
  corpus::printChecksum("positive", allPositive, blocks);
  cudaFree(values);
  cudaFree(anyBad);
  cudaFree(allPositive);
}
