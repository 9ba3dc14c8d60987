// L * B with L lower triangular: the loop is as long as the row.
#include "../corpus.h"

__global__ void trmm(const float *L, const float *B, float *out, int n,
                     int rhs) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= rhs)
    return;
  float value = 0.f;
  for (int k = 0; k <= row; k++)
    value = fmaf(L[row * n + k], B[k * rhs + col], value);
  out[row * rhs + col] = value;
}

int main(int argc, char **argv) {
  int n = 1200, rhs = 640;
  corpus::parseSize(argc, argv, "--n", &n, 50);
  corpus::parseSize(argc, argv, "--rhs", &rhs, 21);
  float *L, *B, *out;
  CUDA_CHECK(cudaMalloc(&L, (size_t)n * n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&B, (size_t)n * rhs * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, (size_t)n * rhs * sizeof(float)));
  corpus::fill(L, (size_t)n * n, 0.0, 1.0, 8);
  corpus::fill(B, (size_t)n * rhs, 0.0, 1.0, 9);
  const dim3 block(64, 4);
  const dim3 grid((rhs + 63) / 64, (n + 3) / 4);
  for (int i = 0; i < 3; i++)
    trmm<<<grid, block>>>(L, B, out, n, rhs);
  CUDA_CHECK(cudaDeviceSynchronize());
  corpus::printChecksum("out", out, (size_t)n * rhs);
  cudaFree(L);
  cudaFree(B);
  cudaFree(out);
  return 0;
}
