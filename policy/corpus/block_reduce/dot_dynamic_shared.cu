// Dot product: a grid-stride loop, a tree in dynamic shared memory, one atomic
// a block.
#include "../corpus.h"

extern __shared__ float products[];

__global__ void dot(float *a, float *b, float *result, int n) {
  int tid = threadIdx.x;
  float mine = 0.0f;
  for (int i = blockIdx.x * blockDim.x + tid; i < n;
       i += blockDim.x * gridDim.x)
    mine += a[i] * b[i];
  products[tid] = mine;
  __syncthreads();
  for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
    if (tid < half)
      products[tid] = products[tid] + products[tid + half];
    __syncthreads();
  }
  if (tid == 0)
    atomicAdd(result, products[0]);
}

int main(int argc, char **argv) {
  int n = 10000000, threads = 512;
  corpus::parseSize(argc, argv, "--n", &n, 3777);
  float *a, *b, *result;
  CUDA_CHECK(cudaMalloc(&a, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&b, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&result, sizeof(float)));
  corpus::fill(a, n, 0.0, 1.0, 1);
  corpus::fill(b, n, 0.0, 1.0, 2);
  int blocks = std::min((n + threads - 1) / threads, 1000);
  for (int i = 0; i < 4; i++) {
    CUDA_CHECK(cudaMemset(result, 0, sizeof(float)));
    dot<<<blocks, threads, threads * sizeof(float)>>>(a, b, result, n);
  }
  corpus::printChecksum("dot", result, 1);
  cudaFree(a);
  cudaFree(b);
  cudaFree(result);
}
