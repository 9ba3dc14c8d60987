// Means of the columns of a bfloat16 matrix, a thread per column.
#include "../corpus.h"

#include <cuda_bf16.h>

__global__ void columnMeans(const __nv_bfloat16 *m, float *mean, int rows,
                            int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col < cols) {
    mean[col] = 0.0f;
    for (int row = 0; row < rows; row++)
      mean[col] += __bfloat162float(m[row * cols + col]);
    mean[col] = mean[col] / rows;
  }
}

int main(int argc, char **argv) {
  int rows = 5000, cols = 4000;
  corpus::parseSize(argc, argv, "--rows", &rows, 60);
  corpus::parseSize(argc, argv, "--n", &cols, 70);
  __nv_bfloat16 *m;
  float *mean;
  CUDA_CHECK(cudaMalloc(&m, (size_t)rows * cols * sizeof *m));
  CUDA_CHECK(cudaMalloc(&mean, cols * sizeof *mean));
  corpus::fill(m, (size_t)rows * cols, 0.0, 2.0, 8);
  for (int i = 0; i < 4; i++) {
    columnMeans<<<(cols + 127) / 128, 128>>>(m, mean, rows, cols);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("mean", mean, cols);
  cudaFree(m);
  cudaFree(mean);
  return 0;
}
