// Product of signed bytes with 32-bit sums, then one float scale a column.
#include "../corpus.h"

#include <cstdint>

__global__ void int8Gemm(const int8_t *activations, const int8_t *weights,
                         const float *scale, float *out, int m, int n, int k) {
  int col = threadIdx.x + blockIdx.x * blockDim.x;
  int row = threadIdx.y + blockIdx.y * blockDim.y;
  if (col < n && row < m) {
    int32_t dot = 0;
    for (int i = 0; i < k; i++)
      dot += (int32_t)activations[row * k + i] * (int32_t)weights[col * k + i];
    out[row * n + col] = dot * scale[col];
  }
}

int main(int argc, char **argv) {
  int m = 512, n = 1024, k = 768;
  corpus::parseSize(argc, argv, "--m", &m, 15);
  corpus::parseSize(argc, argv, "--n", &n, 37);
  corpus::parseSize(argc, argv, "--k", &k, 50);
  int8_t *activations, *weights;
  float *scale, *out;
  CUDA_CHECK(cudaMalloc(&activations, (size_t)m * k));
  CUDA_CHECK(cudaMalloc(&weights, (size_t)n * k));
  CUDA_CHECK(cudaMalloc(&scale, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, (size_t)m * n * sizeof(float)));
  corpus::fill(activations, (size_t)m * k, -128, 128, 1);
  corpus::fill(weights, (size_t)n * k, -128, 128, 2);
  corpus::fill(scale, n, 0.001, 0.01, 3);
  dim3 threads(32, 8);
  dim3 grid((n + threads.x - 1) / threads.x, (m + threads.y - 1) / threads.y);
  for (int i = 0; i < 4; i++)
    int8Gemm<<<grid, threads>>>(activations, weights, scale, out, m, n, k);
  corpus::printChecksum("out", out, (size_t)m * n);
  CUDA_CHECK(cudaFree(activations));
  CUDA_CHECK(cudaFree(weights));
  CUDA_CHECK(cudaFree(scale));
  CUDA_CHECK(cudaFree(out));
  return 0;
}
