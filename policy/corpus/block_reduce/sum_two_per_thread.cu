// Sum in double: two loads a thread, then a tree that halves from above. The
// second launch sums up the sums of the blocks.
#include "../corpus.h"

#define THREADS 256

__global__ void blockSum(const double *in, double *out, int n) {
  __shared__ double cache[THREADS];
  int tid = threadIdx.x;
  int i = blockIdx.x * (THREADS * 2) + tid;
  double v = 0.0;
  if (i < n)
    v = in[i];
  if (i + THREADS < n)
    v += in[i + THREADS];
  cache[tid] = v;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s >>= 1) {
    if (tid < s)
      cache[tid] += cache[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = cache[0];
}

int main(int argc, char **argv) {
  int n = 7000000;
  corpus::parseSize(argc, argv, "--n", &n, 4001);
  int blocks = (n + 2 * THREADS - 1) / (2 * THREADS);
  int last = (blocks + 2 * THREADS - 1) / (2 * THREADS);
  double *in, *partial, *sums;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&partial, blocks * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&sums, last * sizeof(double)));
  corpus::fill(in, n, 0.0, 1.0, 44);
  for (int i = 0; i < 3; i++) {
    blockSum<<<blocks, THREADS>>>(in, partial, n);
    blockSum<<<last, THREADS>>>(partial, sums, blocks);
  }
  corpus::printChecksum("partial", partial, blocks);
  corpus::printChecksum("sums", sums, last);
  cudaFree(in);
  cudaFree(partial);
  cudaFree(sums);
  return 0;
}
