// 32-bit sums to saturated 16-bit samples, the scaling by a division in float.
#include "../corpus.h"

#define CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))

__global__ void saturate(const int *mix, short *out, float divisor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = rintf(mix[i] / divisor);
  out[i] = (short)CLAMP(v, -32768.0f, 32767.0f);
}

int main(int argc, char **argv) {
  int n = 15000000;
  corpus::parseSize(argc, argv, "--n", &n, 3999);
  int *mix;
  short *out;
  CUDA_CHECK(cudaMalloc(&mix, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(short)));
  corpus::fill(mix, n, -200000, 200000, 4);
  int threads = 64;
  for (int i = 0; i < 4; i++)
    saturate<<<(n + threads - 1) / threads, threads>>>(mix, out, 3.0f, n);
  corpus::printChecksum("out", out, n);
  cudaFree(mix);
  cudaFree(out);
}
