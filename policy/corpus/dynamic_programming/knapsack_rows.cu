// Knapsack: a launch an item, a thread a capacity, two rows of best values.
#include "../corpus.h"

__global__ void addItem(const long *before, long *after, int capacity,
                        int weight, long value) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c <= capacity) {
    after[c] = before[c];
    if (c >= weight)
      after[c] = max(after[c], before[c - weight] + value);
  }
}

int main(int argc, char **argv) {
  int capacity = 4000000;
  corpus::parseSize(argc, argv, "--capacity", &capacity, 2000);
  long *before, *after;
  size_t bytes = (capacity + 1) * sizeof(long);
  CUDA_CHECK(cudaMalloc(&before, bytes));
  CUDA_CHECK(cudaMalloc(&after, bytes));
  CUDA_CHECK(cudaMemset(before, 0, bytes));
  int weights[] = {37, 1000, 123, 77, 501};
  long values[] = {90, 1400, 300, 110, 777};
  for (int item = 0; item < 5; item++) {
    addItem<<<(capacity + 1 + 255) / 256, 256>>>(before, after, capacity,
                                                 weights[item], values[item]);
    std::swap(before, after);
  }
  corpus::printChecksum("best", before, capacity + 1);
  cudaFree(before);
  cudaFree(after);
}
