// Low-rank reconstruction: tall times wide with an inner size of 8, a constant.
#include "../corpus.h"

#define RANK 8

__global__ void reconstruct(double *U, double *sigma, double *Vt, double *A,
                            int rows, int cols) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < cols && y < rows) {
    double a = 0.0;
    for (int r = 0; r < RANK; r++)
      a += U[y * RANK + r] * sigma[r] * Vt[r * cols + x];
    A[y * cols + x] = a;
  }
}

int main(int argc, char **argv) {
  int rows = 2000, cols = 2400;
  corpus::parseSize(argc, argv, "--rows", &rows, 41);
  corpus::parseSize(argc, argv, "--n", &cols, 53);
  double *U, *sigma, *Vt, *A;
  CUDA_CHECK(cudaMalloc(&U, sizeof(double) * rows * RANK));
  CUDA_CHECK(cudaMalloc(&sigma, sizeof(double) * RANK));
  CUDA_CHECK(cudaMalloc(&Vt, sizeof(double) * RANK * cols));
  CUDA_CHECK(cudaMalloc(&A, sizeof(double) * rows * cols));
  corpus::fill(U, (size_t)rows * RANK, -1.0, 1.0, 1);
  corpus::fill(sigma, RANK, 0.5, 5.0, 2);
  corpus::fill(Vt, (size_t)RANK * cols, -1.0, 1.0, 3);
  dim3 block(32, 32);
  dim3 grid((cols + 31) / 32, (rows + 31) / 32);
  for (int i = 0; i < 3; i++) {
    reconstruct<<<grid, block>>>(U, sigma, Vt, A, rows, cols);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("A", A, (size_t)rows * cols);
  cudaFree(U);
  cudaFree(sigma);
  cudaFree(Vt);
  cudaFree(A);
  return 0;
}
