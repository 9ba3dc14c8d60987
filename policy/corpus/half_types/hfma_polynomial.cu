// A cubic in half arithmetic, with the intrinsics of cuda_fp16.h, two elements
// a thread by hand.
#include "../corpus.h"

#include <cuda_fp16.h>

__device__ __half cubic(__half x) {
  __half y = __hfma(__float2half(0.05f), x, __float2half(-0.3f));
  y = __hfma(y, x, __float2half(0.7f));
  return __hfma(y, x, __float2half(0.1f));
}

__global__ void evaluate(__half *x, __half *y, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n) {
    y[i] = cubic(x[i]);
    y[i + 1] = cubic(x[i + 1]);
  } else if (i < n) {
    y[i] = cubic(x[i]);
  }
}

int main(int argc, char **argv) {
  int n = 20000001;
  corpus::parseSize(argc, argv, "--n", &n, 3001);
  __half *x, *y;
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(__half)));
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(__half)));
  corpus::fill(x, n, -2.0, 2.0, 4);
  int pairs = (n + 1) / 2;
  for (int i = 0; i < 3; i++)
    evaluate<<<(pairs + 255) / 256, 256>>>(x, y, n);
  corpus::printChecksum("y", y, n);
  cudaFree(x);
  cudaFree(y);
}
