// Root-mean-square norm of rows of halves, a thread per row, sums in float.
#include "../corpus.h"

#include <cuda_fp16.h>

__global__ void rmsNorm(half *x, half *gain, half *y, int tokens, int width) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < tokens) {
    float sum = 0.0f;
    for (int i = 0; i < width; i++) {
      float v = __half2float(x[t * width + i]);
      sum += v * v;
    }
    for (int i = 0; i < width; i++)
      y[t * width + i] =
          __float2half(__half2float(x[t * width + i]) /
                       sqrtf(sum / width + 1e-6f) * __half2float(gain[i]));
  }
}

int main(int argc, char **argv) {
  int tokens = 12000, width = 1024;
  corpus::parseSize(argc, argv, "--n", &tokens, 37);
  corpus::parseSize(argc, argv, "--width", &width, 64);
  half *x, *gain, *y;
  size_t count = (size_t)tokens * width;
  CUDA_CHECK(cudaMalloc(&x, count * sizeof(half)));
  CUDA_CHECK(cudaMalloc(&y, count * sizeof(half)));
  CUDA_CHECK(cudaMalloc(&gain, width * sizeof(half)));
  corpus::fill(x, count, -2.0, 2.0, 1);
  corpus::fill(gain, width, 0.5, 1.5, 2);
  for (int i = 0; i < 3; i++)
    rmsNorm<<<(tokens + 63) / 64, 64>>>(x, gain, y, tokens, width);
  corpus::printChecksum("y", y, count);
  cudaFree(x);
  cudaFree(gain);
  cudaFree(y);
  return 0;
}
