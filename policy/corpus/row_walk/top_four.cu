// The four largest values of each row, kept sorted in an array of the thread.
#include "../corpus.h"

template <int K>
__global__ void topK(const int *table, int *top, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    int best[K];
    for (int k = 0; k < K; k++)
      best[k] = -2147483647;
    for (int c = 0; c < cols; c++) {
      int v = table[row * cols + c];
      for (int k = 0; k < K; k++) {
        if (v > best[k]) {
          int t = best[k];
          best[k] = v;
          v = t;
        }
      }
    }
    for (int k = 0; k < K; k++)
      top[row * K + k] = best[k];
  }
}

int main(int argc, char **argv) {
  int rows = 12000, cols = 640;
  corpus::parseSize(argc, argv, "--n", &rows, 60);
  corpus::parseSize(argc, argv, "--cols", &cols, 41);
  int *table, *top;
  CUDA_CHECK(cudaMalloc(&table, sizeof(int) * rows * cols));
  CUDA_CHECK(cudaMalloc(&top, sizeof(int) * rows * 4));
  corpus::fill(table, (size_t)rows * cols, -100000, 100000, 10);
  for (int i = 0; i < 3; i++)
    topK<4><<<(rows + 95) / 96, 96>>>(table, top, rows, cols);
  corpus::printChecksum("top", top, (size_t)rows * 4);
  CUDA_CHECK(cudaFree(table));
  CUDA_CHECK(cudaFree(top));
}
