// Transpose of a tall double matrix into one with a leading dimension of its
// own; threadIdx.x runs over rows, so that the loads are a row apart.
#include "../corpus.h"

__global__ void transposeTall(const double *A, int lda, double *B, int ldb,
                              int m, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < m && col < n)
    B[col * ldb + row] = A[row * lda + col];
}

int main(int argc, char **argv) {
  int m = 6001, n = 900;
  corpus::parseSize(argc, argv, "--m", &m, 101);
  corpus::parseSize(argc, argv, "--n", &n, 33);
  int lda = n + 4, ldb = m + 7;
  double *A, *B;
  CUDA_CHECK(cudaMalloc(&A, sizeof(double) * m * lda));
  CUDA_CHECK(cudaMalloc(&B, sizeof(double) * n * ldb));
  CUDA_CHECK(cudaMemset(B, 0, sizeof(double) * n * ldb));
  corpus::fill(A, (size_t)m * lda, -1.0, 1.0);
  dim3 threads(16, 16);
  dim3 blocks((m + threads.x - 1) / threads.x, (n + threads.y - 1) / threads.y);
  for (int i = 0; i < 3; i++)
    transposeTall<<<blocks, threads>>>(A, lda, B, ldb, m, n);
  corpus::printChecksum("B", B, (size_t)n * ldb);
  cudaFree(A);
  cudaFree(B);
  return 0;
}
