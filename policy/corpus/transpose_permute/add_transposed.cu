// C = alpha * A + beta * B^T, as in a symmetrised covariance.
#include "../corpus.h"

#define TILE 32

__global__ void addTransposed(float *A, float *B, float *C, int n, float alpha,
                              float beta) {
  int col = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  if (row >= n)
    return;
  if (col >= n)
    return;
  C[row * n + col] = alpha * A[row * n + col] + beta * B[col * n + row];
}

int main(int argc, char **argv) {
  int n = 2500;
  corpus::parseSize(argc, argv, "--n", &n, 71);
  size_t bytes = (size_t)n * n * sizeof(float);
  float *A, *B, *C;
  CUDA_CHECK(cudaMalloc(&A, bytes));
  CUDA_CHECK(cudaMalloc(&B, bytes));
  CUDA_CHECK(cudaMalloc(&C, bytes));
  corpus::fill(A, (size_t)n * n, 0.0, 1.0, 3);
  corpus::fill(B, (size_t)n * n, 0.0, 1.0, 4);
  dim3 block(TILE, TILE);
  dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
  for (int i = 0; i < 4; i++)
    addTransposed<<<grid, block>>>(A, B, C, n, 0.5f, 0.5f);
  corpus::printChecksum("C", C, (size_t)n * n);
  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
}
