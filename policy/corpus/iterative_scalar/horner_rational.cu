// A rational function of degree 15 over 15 by Horner's rule; coefficients in
// device memory, results added to what is there.
#include "../corpus.h"

#define DEGREE 15

__global__ void rational(float *x, float *numerator, float *denominator,
                         float *y, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float p = 0, q = 0;
    for (int k = DEGREE; k >= 0; k--) {
      p = p * x[i] + numerator[k];
      q = q * x[i] + denominator[k];
    }
    y[i] += p / q;
  }
}

int main(int argc, char **argv) {
  int n = 6000000;
  corpus::parseSize(argc, argv, "--n", &n, 3000);
  float *x, *y, *numerator, *denominator;
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&numerator, (DEGREE + 1) * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&denominator, (DEGREE + 1) * sizeof(float)));
  CUDA_CHECK(cudaMemset(y, 0, n * sizeof(float)));
  corpus::fill(x, n, 0.0, 0.9, 5);
  corpus::fill(numerator, DEGREE + 1, -1.0, 1.0, 6);
  corpus::fill(denominator, DEGREE + 1, 0.5, 1.5, 7);
  for (int i = 0; i < 4; i++)
    rational<<<1024, 256>>>(x, numerator, denominator, y, n);
  corpus::printChecksum("y", y, n);
  cudaFree(x);
  cudaFree(y);
  cudaFree(numerator);
  cudaFree(denominator);
}
