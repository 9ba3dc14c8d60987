// GELU on halves, each turned to float and back.
#include "../corpus.h"

#include <cuda_fp16.h>

__global__ void geluHalf(const __half *in, __half *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float x = __half2float(in[i]);
    out[i] = __float2half(0.5f * x * (1.0f + erff(x * 0.70710678f)));
  }
}

int main(int argc, char **argv) {
  int n = 16 << 20;
  corpus::parseSize(argc, argv, "--n", &n, 4001);
  __half *in, *out;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(__half)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(__half)));
  corpus::fill(in, n, -3.0, 3.0, 2);
  for (int i = 0; i < 4; i++)
    geluHalf<<<(n + 255) / 256, 256>>>(in, out, n);
  corpus::printChecksum("gelu", out, n);
  cudaFree(in);
  cudaFree(out);
  return 0;
}
