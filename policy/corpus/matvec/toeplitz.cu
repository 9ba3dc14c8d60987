// A Toeplitz matrix is given by its diagonals: y[i] = sum of t[n-1+i-j] * x[j].
#include "../corpus.h"

__global__ void toeplitz(const float *t, const float *x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    float acc = 0.f;
    const float *diagonal = t + n - 1 + i;
    for (int j = 0; j < n; j++)
      acc += diagonal[-j] * x[j];
    y[i] = acc;
  }
}

int main(int argc, char **argv) {
  int n = 16000;
  corpus::parseSize(argc, argv, "--n", &n, 120);
  float *t, *x, *y;
  CUDA_CHECK(cudaMalloc(&t, (2 * (size_t)n - 1) * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(float)));
  corpus::fill(t, 2 * (size_t)n - 1, 0.0, 1.0, 1);
  corpus::fill(x, n, 0.0, 1.0, 2);
  for (int i = 0; i < 3; i++)
    toeplitz<<<128, 128>>>(t, x, y, n);
  corpus::printChecksum("y", y, n);
  cudaFree(t);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
