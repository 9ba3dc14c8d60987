// Steps of Floyd-Warshall: all pairs over one intermediate node a launch, with
// the node through which the path goes.
#include "../corpus.h"

__global__ void throughNode(int *dist, short *via, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    if (dist[i * n + k] + dist[k * n + j] < dist[i * n + j]) {
      dist[i * n + j] = dist[i * n + k] + dist[k * n + j];
      via[i * n + j] = k;
    }
  }
}

int main(int argc, char **argv) {
  int n = 2000, nodes = 5;
  corpus::parseSize(argc, argv, "--n", &n, 45);
  corpus::parseSize(argc, argv, "--nodes", &nodes, 5);
  size_t cells = (size_t)n * n;
  int *dist;
  short *via;
  CUDA_CHECK(cudaMalloc(&dist, cells * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&via, cells * sizeof(short)));
  CUDA_CHECK(cudaMemset(via, 0, cells * sizeof(short)));
  corpus::fill(dist, cells, 1, 1000, 5);
  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  for (int k = 0; k < std::min(nodes, n); k++)
    throughNode<<<grid, block>>>(dist, via, n, k);
  corpus::printChecksum("dist", dist, cells);
  corpus::printChecksum("via", via, cells);
  cudaFree(dist);
  cudaFree(via);
}
