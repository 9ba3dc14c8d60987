// Sparse matrix times vector from a list of entries: a thread an entry, an
// atomic for each; the entry is a structure.
#include "../corpus.h"

struct Entry {
  int row, col;
  float value;
};

__global__ void spmvCoo(Entry *entries, float *x, float *y, int nonzeros) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < nonzeros)
    atomicAdd(&y[entries[e].row], entries[e].value * x[entries[e].col]);
}

int main(int argc, char **argv) {
  int n = 100000, perRow = 16;
  corpus::parseSize(argc, argv, "--n", &n, 200);
  corpus::parseSize(argc, argv, "--per-row", &perRow, 5);
  int nonzeros = n * perRow;
  std::vector<Entry> list(nonzeros);
  corpus::Lcg random(77);
  for (int e = 0; e < nonzeros; e++)
    list[e] = {e / perRow, (int)(random.bits() % n), (float)random.uniform()};
  Entry *entries;
  float *x, *y;
  CUDA_CHECK(cudaMalloc(&entries, nonzeros * sizeof(Entry)));
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(entries, list.data(), nonzeros * sizeof(Entry),
                        cudaMemcpyHostToDevice));
  corpus::fill(x, n, 0.0, 1.0, 2);
  for (int i = 0; i < 4; i++) {
    CUDA_CHECK(cudaMemset(y, 0, n * sizeof(float)));
    spmvCoo<<<(nonzeros + 255) / 256, 256>>>(entries, x, y, nonzeros);
  }
  corpus::printChecksum("y", y, n);
  cudaFree(entries);
  cudaFree(x);
  cudaFree(y);
}
