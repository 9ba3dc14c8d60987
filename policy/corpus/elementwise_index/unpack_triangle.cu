// Packed lower triangle to a full symmetric matrix: the thread finds its row by
// a square root and stores twice.
#include "../corpus.h"

__global__ void unpackTriangle(const float *packed, float *full, int n,
                               int entries) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < entries) {
    int row = (int)((sqrt(8.0 * k + 1.0) - 1.0) / 2.0);
    while ((row + 1) * (row + 2) / 2 <= k)
      row++;
    while (row * (row + 1) / 2 > k)
      row--;
    int col = k - row * (row + 1) / 2;
    full[row * n + col] = packed[k];
    full[col * n + row] = packed[k];
  }
}

int main(int argc, char **argv) {
  int n = 3000;
  corpus::parseSize(argc, argv, "--n", &n, 53);
  int entries = n * (n + 1) / 2;

  float *packed, *full;
  CUDA_CHECK(cudaMalloc(&packed, entries * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&full, (size_t)n * n * sizeof(float)));
  corpus::fill(packed, entries, -5.0, 5.0, 19);

  for (int rep = 0; rep < 3; rep++)
    unpackTriangle<<<(entries + 63) / 64, 64>>>(packed, full, n, entries);

  corpus::printChecksum("full", full, (size_t)n * n);
  cudaFree(packed);
  cudaFree(full);
}
