// Connected components: each node takes the smallest label of itself and its
// neighbours, whose number is fixed (-1 where there is none). Rounds are few.
#include "../corpus.h"

#define MAX_NEIGHBOURS 8

__global__ void spread(int *neighbours, int *label, int *newLabel,
                       unsigned *changed, int nodes) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < nodes) {
    newLabel[v] = label[v];
    for (int k = 0; k < MAX_NEIGHBOURS; k++) {
      if (neighbours[v * MAX_NEIGHBOURS + k] >= 0) {
        if (label[neighbours[v * MAX_NEIGHBOURS + k]] < newLabel[v])
          newLabel[v] = label[neighbours[v * MAX_NEIGHBOURS + k]];
      }
    }
    if (newLabel[v] != label[v])
      atomicAdd(changed, 1u);
  }
}

int main(int argc, char **argv) {
  int nodes = 600000;
  corpus::parseSize(argc, argv, "--nodes", &nodes, 700);
  int *neighbours, *label, *newLabel;
  unsigned *changed;
  CUDA_CHECK(cudaMalloc(&neighbours, sizeof(int) * nodes * MAX_NEIGHBOURS));
  CUDA_CHECK(cudaMalloc(&label, sizeof(int) * nodes));
  CUDA_CHECK(cudaMalloc(&newLabel, sizeof(int) * nodes));
  CUDA_CHECK(cudaMalloc(&changed, sizeof(unsigned)));
  CUDA_CHECK(cudaMemset(changed, 0, sizeof(unsigned)));
  corpus::fill(neighbours, (size_t)nodes * MAX_NEIGHBOURS, -nodes / 4, nodes,
               2);
  corpus::fill(label, nodes, 0, nodes, 3);
  for (int round = 0; round < 4; round++) {
    spread<<<(nodes + 255) / 256, 256>>>(neighbours, label, newLabel, changed,
                                         nodes);
    std::swap(label, newLabel);
  }
  corpus::printChecksum("label", label, nodes);
  corpus::printChecksum("changed", changed, 1);
  cudaFree(neighbours);
  cudaFree(label);
  cudaFree(newLabel);
  cudaFree(changed);
}
