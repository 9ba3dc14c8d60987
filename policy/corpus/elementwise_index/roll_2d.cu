// Rolls an image round both edges, as numpy.roll; rows along threadIdx.x.
#include "../corpus.h"

__global__ void roll(double *in, double *out, int rows, int cols, int downBy,
                     int rightBy) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) {
    int toRow = (row + downBy) % rows;
    int toCol = (col + rightBy) % cols;
    out[toRow * cols + toCol] = in[row * cols + col];
  }
}

int main(int argc, char **argv) {
  int rows = 2200, cols = 1800;
  corpus::parseSize(argc, argv, "--rows", &rows, 45);
  corpus::parseSize(argc, argv, "--n", &cols, 37);

  size_t bytes = sizeof(double) * rows * cols;
  double *a, *b;
  CUDA_CHECK(cudaMalloc(&a, bytes));
  CUDA_CHECK(cudaMalloc(&b, bytes));
  corpus::fill(a, (size_t)rows * cols, 0.0, 1.0, 13);

  dim3 threadsPerBlock(16, 16);
  dim3 numBlocks((rows + 15) / 16, (cols + 15) / 16);
  for (int i = 0; i < 4; i++)
    roll<<<numBlocks, threadsPerBlock>>>(a, b, rows, cols, 17, 5);

  corpus::printChecksum("rolled", b, (size_t)rows * cols);
  cudaFree(a);
  cudaFree(b);
}
