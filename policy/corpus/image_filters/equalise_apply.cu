// Histogram equalisation: counts of grey values, their running sum by one
// thread, and a table that maps every byte.
#include "../corpus.h"

__global__ void countGreys(unsigned char *img, unsigned *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&counts[img[i]], 1u);
}

__global__ void makeTable(unsigned *counts, unsigned char *table, int n) {
  unsigned running = 0;
  for (int v = 0; v < 256; v++) {
    running += counts[v];
    table[v] = (unsigned char)(255.0f * running / n);
  }
}

__global__ void applyTable(unsigned char *img, unsigned char *table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    img[i] = table[img[i]];
}

int main(int argc, char **argv) {
  int n = 6000000;
  corpus::parseSize(argc, argv, "--pixels", &n, 3001);
  unsigned char *img, *table;
  unsigned *counts;
  CUDA_CHECK(cudaMalloc(&img, n));
  CUDA_CHECK(cudaMalloc(&table, 256));
  CUDA_CHECK(cudaMalloc(&counts, 256 * sizeof(unsigned)));
  corpus::fill(img, n, 40, 120, 9);
  for (int pass = 0; pass < 3; pass++) {
    CUDA_CHECK(cudaMemset(counts, 0, 256 * sizeof(unsigned)));
    countGreys<<<(n + 255) / 256, 256>>>(img, counts, n);
    makeTable<<<1, 1>>>(counts, table, n);
    applyTable<<<(n + 255) / 256, 256>>>(img, table, n);
  }
  corpus::printChecksum("equalised", img, n);
  cudaFree(img);
  cudaFree(table);
  cudaFree(counts);
}
