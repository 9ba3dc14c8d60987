// Sums of stretches of an array by cub::BlockReduce: a unit that includes cub,
// so that its compile time matters.
#include <cub/cub.cuh>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess) {                                                  \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              cudaGetErrorString(err));                                        \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

constexpr int Threads = 256;
constexpr int Items = 16; // of each thread

__global__ void blockSum(const float *in, float *out, int n) {
  using Reduce = cub::BlockReduce<float, Threads>;
  __shared__ typename Reduce::TempStorage storage;
  int begin = blockIdx.x * Threads * Items;
  float sum = 0.0f;
  for (int k = 0; k < Items; k++) {
    int i = begin + k * Threads + threadIdx.x;
    if (i < n)
      sum += in[i] * in[i];
  }
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 22;
  int blocks = (n + Threads * Items - 1) / (Threads * Items);
  std::vector<float> in(n), out(blocks);
  unsigned state = 12345u;
  for (float &x : in) {
    state = state * 1664525u + 1013904223u;
    x = (state >> 8) * (1.0f / 16777216.0f);
  }
  float *dIn, *dOut;
  CUDA_CHECK(cudaMalloc(&dIn, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dOut, blocks * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dIn, in.data(), n * sizeof(float),
                        cudaMemcpyHostToDevice));
  for (int i = 0; i < 5; i++) {
    blockSum<<<blocks, Threads>>>(dIn, dOut, n);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaMemcpy(out.data(), dOut, blocks * sizeof(float),
                        cudaMemcpyDeviceToHost));
  double sum = 0;
  for (float x : out)
    sum += x;
  printf("sum %.6f\n", sum);
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dOut));
  return 0;
}
