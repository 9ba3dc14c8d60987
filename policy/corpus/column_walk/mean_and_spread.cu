// Mean and standard deviation of each column, in two walks.
#include "../corpus.h"

__global__ void columnStats(const float *table, float *mean, float *spread,
                            int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < cols) {
    float sum = 0.0f;
    for (int r = 0; r < rows; r++)
      sum += table[r * cols + c];
    mean[c] = sum / rows;
    float squares = 0.0f;
    for (int r = 0; r < rows; r++)
      squares +=
          (table[r * cols + c] - mean[c]) * (table[r * cols + c] - mean[c]);
    spread[c] = sqrt(squares / (rows - 1.0));
  }
}

int main(int argc, char **argv) {
  int rows = 4000, cols = 3000;
  corpus::parseSize(argc, argv, "--rows", &rows, 43);
  corpus::parseSize(argc, argv, "--n", &cols, 85);
  float *table, *mean, *spread;
  CUDA_CHECK(cudaMalloc(&table, sizeof(float) * rows * cols));
  CUDA_CHECK(cudaMalloc(&mean, sizeof(float) * cols));
  CUDA_CHECK(cudaMalloc(&spread, sizeof(float) * cols));
  corpus::fill(table, (size_t)rows * cols, 10.0, 20.0);
  for (int i = 0; i < 3; i++)
    columnStats<<<(cols + 255) / 256, 256>>>(table, mean, spread, rows, cols);
  corpus::printChecksum("mean", mean, cols);
  corpus::printChecksum("spread", spread, cols);
  cudaFree(table);
  cudaFree(mean);
  cudaFree(spread);
}
