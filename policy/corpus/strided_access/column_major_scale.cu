// Equilibrates a matrix stored by columns; threadIdx.x runs along a row.
#include "../corpus.h"

#define IDX(i, j, ld) ((j) * (ld) + (i))

__global__ void equilibrate(double *A, const double *r, const double *c, int m,
                            int n, int lda) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n)
    A[IDX(i, j, lda)] = A[IDX(i, j, lda)] / r[i] / c[j];
}

int main(int argc, char **argv) {
  int m = 2000, n = 2500;
  corpus::parseSize(argc, argv, "--rows", &m, 29);
  corpus::parseSize(argc, argv, "--n", &n, 41);
  int lda = m + 8;

  double *A, *r, *c;
  CUDA_CHECK(cudaMalloc(&A, sizeof(double) * lda * n));
  CUDA_CHECK(cudaMalloc(&r, sizeof(double) * m));
  CUDA_CHECK(cudaMalloc(&c, sizeof(double) * n));
  corpus::fill(A, (size_t)lda * n, -10.0, 10.0);
  corpus::fill(r, m, 0.9, 1.1, 2);
  corpus::fill(c, n, 0.9, 1.1, 3);

  dim3 block(32, 8), grid((n + 31) / 32, (m + 7) / 8);
  for (int sweep = 0; sweep < 4; sweep++)
    equilibrate<<<grid, block>>>(A, r, c, m, n, lda);
  corpus::printChecksum("A", A, (size_t)lda * n);

  cudaFree(A);
  cudaFree(r);
  cudaFree(c);
  return 0;
}
