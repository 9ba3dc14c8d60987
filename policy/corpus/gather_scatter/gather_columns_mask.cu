// Picks some columns of a table for all rows; where the mask is off the
// column's default is taken. One warp-sized block row per table row.
#include "../corpus.h"

template <typename T, typename Index>
__global__ void pickColumns(T *table, Index *chosen, bool *mask, T *fallback,
                            T *picked, int rows, int cols, int k) {
  int j = threadIdx.x + blockIdx.x * blockDim.x;
  int i = threadIdx.y + blockIdx.y * blockDim.y;
  if (i < rows && j < k) {
    if (mask[i])
      picked[i * k + j] = table[i * cols + chosen[j]];
    else
      picked[i * k + j] = fallback[chosen[j]];
  }
}

int main(int argc, char **argv) {
  int rows = 30000, cols = 500, k = 64;
  corpus::parseSize(argc, argv, "--rows", &rows, 90);
  corpus::parseSize(argc, argv, "--cols", &cols, 37);
  corpus::parseSize(argc, argv, "--k", &k, 10);
  float *table, *fallback, *picked;
  short *chosen;
  bool *mask;
  CUDA_CHECK(cudaMalloc(&table, sizeof(float) * rows * cols));
  CUDA_CHECK(cudaMalloc(&fallback, sizeof(float) * cols));
  CUDA_CHECK(cudaMalloc(&picked, sizeof(float) * rows * k));
  CUDA_CHECK(cudaMalloc(&chosen, sizeof(short) * k));
  CUDA_CHECK(cudaMalloc(&mask, rows));
  corpus::fill(table, (size_t)rows * cols, -3.0, 3.0, 5);
  corpus::fill(fallback, cols, 10.0, 11.0, 6);
  corpus::fill(chosen, k, 0, cols, 7);
  corpus::fill((unsigned char *)mask, rows, 0, 2, 8);
  dim3 block(32, 4);
  dim3 grid((k + 31) / 32, (rows + 3) / 4);
  for (int r = 0; r < 3; r++)
    pickColumns<float, short>
        <<<grid, block>>>(table, chosen, mask, fallback, picked, rows, cols, k);
  corpus::printChecksum("picked", picked, (size_t)rows * k);
  cudaFree(table);
  cudaFree(fallback);
  cudaFree(picked);
  cudaFree(chosen);
  cudaFree(mask);
}
