// Symmetric matrix in packed lower form: the place depends on which of row and
// column is larger.
#include "../corpus.h"

__global__ void symv(float *packed, float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = 0;
    for (int j = 0; j < n; j++) {
      int at = (i >= j) ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
      sum += packed[at] * x[j];
    }
    y[i] = sum;
  }
}

int main(int argc, char **argv) {
  int n = 3000;
  corpus::parseSize(argc, argv, "--n", &n, 90);
  size_t entries = (size_t)n * (n + 1) / 2;
  float *packed, *x, *y;
  CUDA_CHECK(cudaMalloc(&packed, entries * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(float)));
  corpus::fill(packed, entries, 0.0, 1.0, 5);
  corpus::fill(x, n, 0.0, 1.0, 6);
  for (int i = 0; i < 3; i++) {
    symv<<<(n + 31) / 32, 32>>>(packed, x, y, n);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("y", y, n);
  cudaFree(packed);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
