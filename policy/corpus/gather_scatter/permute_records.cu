// Applies a permutation to records of 32 bytes, member by member.
#include "../corpus.h"

struct Record {
  int key, group;
  float value[4];
  double weight;
};

__global__ void permuteRecords(Record *from, Record *to, int *order, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    to[i].key = from[order[i]].key;
    to[i].group = from[order[i]].group;
    for (int k = 0; k < 4; k++)
      to[i].value[k] = from[order[i]].value[k];
    to[i].weight = from[order[i]].weight;
  }
}

int main(int argc, char **argv) {
  int n = 1 << 20;
  corpus::parseSize(argc, argv, "--n", &n, 1 << 10);
  std::vector<Record> records(n);
  std::vector<int> shuffled(n);
  for (int i = 0; i < n; i++) {
    records[i] = {i, i % 13, {i * 0.5f, 1.0f, 2.0f, i * 0.25f}, i / 3.0};
    shuffled[i] = (int)((i * 7919LL + 12345) % n);
  }
  Record *from, *to;
  int *order;
  CUDA_CHECK(cudaMalloc(&from, n * sizeof(Record)));
  CUDA_CHECK(cudaMalloc(&to, n * sizeof(Record)));
  CUDA_CHECK(cudaMalloc(&order, n * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(from, records.data(), n * sizeof(Record),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(order, shuffled.data(), n * sizeof(int),
                        cudaMemcpyHostToDevice));
  for (int r = 0; r < 4; r++)
    permuteRecords<<<(n + 255) / 256, 256>>>(from, to, order, n);
  CUDA_CHECK(cudaMemcpy(records.data(), to, n * sizeof(Record),
                        cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += records[i].key % 101 * (1 + i % 7) + records[i].value[3] +
           records[i].weight * records[i].group;
  printf("records: %.9e\n", sum);
  cudaFree(from);
  cudaFree(to);
  cudaFree(order);
}
