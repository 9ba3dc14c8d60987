// Spreads floats over buckets of equal width: sizes by atomics, starts by one
// thread, then each element takes the next slot; sums per bucket are printed.
#include "../corpus.h"

__global__ void bucketSizes(float *x, int *size, int n, int buckets) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&size[min((int)(x[i] * buckets), buckets - 1)], 1);
}

__global__ void bucketStarts(int *size, int *start, int buckets) {
  start[0] = 0;
  for (int b = 1; b < buckets; b++)
    start[b] = start[b - 1] + size[b - 1];
}

__global__ void intoBuckets(float *x, int *start, int *used, float *out, int n,
                            int buckets) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int b = min((int)(x[i] * buckets), buckets - 1);
    out[start[b] + atomicAdd(&used[b], 1)] = x[i];
  }
}

int main(int argc, char **argv) {
  int n = 3000000, buckets = 512;
  corpus::parseSize(argc, argv, "--n", &n, 1200);
  corpus::parseSize(argc, argv, "--buckets", &buckets, 20);
  float *x, *out;
  int *size, *start, *used;
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&size, buckets * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&start, buckets * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&used, buckets * sizeof(int)));
  corpus::fill(x, n, 0.0, 1.0, 10);
  for (int i = 0; i < 3; i++) {
    CUDA_CHECK(cudaMemset(size, 0, buckets * sizeof(int)));
    CUDA_CHECK(cudaMemset(used, 0, buckets * sizeof(int)));
    bucketSizes<<<(n + 255) / 256, 256>>>(x, size, n, buckets);
    bucketStarts<<<1, 1>>>(size, start, buckets);
    intoBuckets<<<(n + 255) / 256, 256>>>(x, start, used, out, n, buckets);
  }
  corpus::printChecksum("starts", start, buckets);
  corpus::printChecksum("used", used, buckets);
  cudaFree(x);
  cudaFree(out);
  cudaFree(size);
  cudaFree(start);
  cudaFree(used);
}
