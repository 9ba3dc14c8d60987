// y = alpha * A * x + beta * y in double, with a leading dimension.
#include "../corpus.h"

__global__ void dgemv(int m, int n, double alpha, const double *A, int lda,
                      const double *x, double beta, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) {
    double sum = 0.0;
    for (int j = 0; j < n; j++)
      sum += A[(size_t)i * lda + j] * x[j];
    y[i] = alpha * sum + beta * y[i];
  }
}

int main(int argc, char **argv) {
  int m = 5000, n = 1500;
  corpus::parseSize(argc, argv, "--m", &m, 47);
  corpus::parseSize(argc, argv, "--n", &n, 60);
  int lda = (n + 15) / 16 * 16;
  double *A, *x, *y;
  CUDA_CHECK(cudaMalloc(&A, (size_t)m * lda * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&y, m * sizeof(double)));
  corpus::fill(A, (size_t)m * lda, 0.0, 1.0, 1);
  corpus::fill(x, n, 0.0, 1.0, 2);
  corpus::fill(y, m, 0.0, 1.0, 3);
  for (int i = 0; i < 3; i++)
    dgemv<<<(m + 127) / 128, 128>>>(m, n, 0.25, A, lda, x, 0.5, y);
  corpus::printChecksum("y", y, m);
  cudaFree(A);
  cudaFree(x);
  cudaFree(y);
  return 0;
}
