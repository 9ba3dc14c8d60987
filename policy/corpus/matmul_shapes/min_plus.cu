// Min-plus product of distances, one step of shortest paths, row from
// threadIdx.x.
#include "../corpus.h"

__global__ void minPlus(const int *a, const int *b, int *c, int nodes) {
  int from = blockIdx.x * blockDim.x + threadIdx.x;
  int to = blockIdx.y * blockDim.y + threadIdx.y;
  if (from < nodes && to < nodes) {
    int shortest = a[from * nodes + to];
    for (int via = 0; via < nodes; via++) {
      int length = a[from * nodes + via] + b[via * nodes + to];
      if (length < shortest)
        shortest = length;
    }
    c[from * nodes + to] = shortest;
  }
}

int main(int argc, char **argv) {
  int nodes = 600;
  corpus::parseSize(argc, argv, "--n", &nodes, 29);
  size_t pairs = (size_t)nodes * nodes;
  int *a, *b, *c;
  CUDA_CHECK(cudaMalloc(&a, pairs * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&b, pairs * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&c, pairs * sizeof(int)));
  corpus::fill(a, pairs, 1, 100000, 1);
  corpus::fill(b, pairs, 1, 100000, 2);
  dim3 block(16, 16), grid((nodes + 15) / 16, (nodes + 15) / 16);
  for (int i = 0; i < 3; i++) {
    minPlus<<<grid, block>>>(a, b, c, nodes);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("c", c, pairs);
  CUDA_CHECK(cudaFree(a));
  CUDA_CHECK(cudaFree(b));
  CUDA_CHECK(cudaFree(c));
  return 0;
}
