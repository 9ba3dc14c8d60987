// Running sums along each row of a matrix, a row a thread, in memory.
#include "../corpus.h"

__global__ void cumsumRows(double *data, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  for (int c = 1; c < cols; c++)
    data[row * cols + c] += data[row * cols + c - 1];
}

int main(int argc, char **argv) {
  int rows = 20000, cols = 160;
  corpus::parseSize(argc, argv, "--rows", &rows, 150);
  corpus::parseSize(argc, argv, "--cols", &cols, 20);
  double *data;
  CUDA_CHECK(cudaMalloc(&data, (size_t)rows * cols * sizeof(double)));
  corpus::fill(data, (size_t)rows * cols, 0.0, 1.0, 2);
  for (int pass = 0; pass < 3; pass++)
    cumsumRows<<<(rows + 255) / 256, 256>>>(data, rows, cols);
  corpus::printChecksum("cumsum", data, (size_t)rows * cols);
  cudaFree(data);
}
