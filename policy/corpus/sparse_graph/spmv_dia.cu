// Sparse matrix times vector in diagonal (DIA) form, a thread a row; the
// diagonals' values lie row by row.
#include "../corpus.h"

__global__ void spmvDia(int rows, int diagonals, int *offset, double *values,
                        double *x, double *y) {
  int row = blockDim.x * blockIdx.x + threadIdx.x;
  if (row < rows) {
    y[row] = 0.0;
    for (int d = 0; d < diagonals; d++) {
      int col = row + offset[d];
      if (col >= 0 && col < rows)
        y[row] += values[row * diagonals + d] * x[col];
    }
  }
}

int main(int argc, char **argv) {
  int side = 900;
  corpus::parseSize(argc, argv, "--side", &side, 31);
  int rows = side * side;
  int where[] = {-side - 1, -side, -1, 0, 1, side, side + 1};
  const int diagonals = 7;
  int *offset;
  double *values, *x, *y;
  CUDA_CHECK(cudaMalloc(&offset, sizeof(where)));
  CUDA_CHECK(cudaMalloc(&values, sizeof(double) * rows * diagonals));
  CUDA_CHECK(cudaMalloc(&x, sizeof(double) * rows));
  CUDA_CHECK(cudaMalloc(&y, sizeof(double) * rows));
  CUDA_CHECK(cudaMemcpy(offset, where, sizeof(where), cudaMemcpyHostToDevice));
  corpus::fill(values, (size_t)rows * diagonals, -1.0, 1.0, 1);
  corpus::fill(x, rows, -1.0, 1.0, 2);
  for (int i = 0; i < 4; i++)
    spmvDia<<<(rows + 255) / 256, 256>>>(rows, diagonals, offset, values, x, y);
  corpus::printChecksum("y", y, rows);
  cudaFree(offset);
  cudaFree(values);
  cudaFree(x);
  cudaFree(y);
}
