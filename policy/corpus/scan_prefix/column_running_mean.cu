// Mean of all rows so far, for each column: a thread a column, stores as it
// goes, divides by the row's number.
#include "../corpus.h"

__global__ void runningMean(const int *counts, float *mean, int rows,
                            int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols)
    return;
  long long total = 0;
  for (int r = 0; r < rows; r++) {
    total += counts[r * cols + c];
    mean[r * cols + c] = (float)((double)total / (r + 1));
  }
}

int main(int argc, char **argv) {
  int rows = 300, cols = 30000;
  corpus::parseSize(argc, argv, "--rows", &rows, 21);
  corpus::parseSize(argc, argv, "--cols", &cols, 150);
  size_t n = (size_t)rows * cols;
  int *counts;
  float *mean;
  CUDA_CHECK(cudaMalloc(&counts, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&mean, n * sizeof(float)));
  corpus::fill(counts, n, 0, 1000, 9);
  for (int i = 0; i < 3; i++)
    runningMean<<<(cols + 255) / 256, 256>>>(counts, mean, rows, cols);
  corpus::printChecksum("mean", mean, n);
  cudaFree(counts);
  cudaFree(mean);
}
