// The vector is brought to shared memory by tiles; a thread still walks a row.
#include "../corpus.h"

#define TILE 256

__global__ void stagedMatvec(const float *A, const float *x, float *y, int rows,
                             int cols) {
  __shared__ float part[TILE];
  int row = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int base = 0; base < cols; base += TILE) {
    if (base + threadIdx.x < cols)
      part[threadIdx.x] = x[base + threadIdx.x];
    __syncthreads();
    if (row < rows)
      for (int j = 0; j < TILE && base + j < cols; j++)
        sum += A[row * cols + base + j] * part[j];
    __syncthreads();
  }
  if (row < rows)
    y[row] = sum;
}

int main(int argc, char **argv) {
  int rows = 8000, cols = 1100;
  corpus::parseSize(argc, argv, "--rows", &rows, 70);
  corpus::parseSize(argc, argv, "--n", &cols, 300);
  float *A, *x, *y;
  CUDA_CHECK(cudaMalloc(&A, (size_t)rows * cols * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&x, cols * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, rows * sizeof(float)));
  corpus::fill(A, (size_t)rows * cols, 0.0, 1.0, 1);
  corpus::fill(x, cols, 0.0, 1.0, 2);
  for (int i = 0; i < 3; i++)
    stagedMatvec<<<(rows + TILE - 1) / TILE, TILE>>>(A, x, y, rows, cols);
  corpus::printChecksum("y", y, rows);
  cudaFree(A);
  cudaFree(x);
  cudaFree(y);
}
