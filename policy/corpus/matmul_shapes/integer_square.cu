// Square of an integer matrix, as for counting paths, unsigned and wrapping.
#include "../corpus.h"

__global__ void countPaths(unsigned int *adjacency, unsigned int *paths,
                           int n) {
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < n) {
    if (c < n) {
      paths[r * n + c] = 0;
      for (int via = 0; via < n; via++)
        paths[r * n + c] += adjacency[r * n + via] * adjacency[via * n + c];
    }
  }
}

int main(int argc, char **argv) {
  int n = 700;
  corpus::parseSize(argc, argv, "--n", &n, 31);
  unsigned int *adjacency, *paths;
  size_t count = (size_t)n * n;
  CUDA_CHECK(cudaMalloc(&adjacency, count * sizeof(unsigned int)));
  CUDA_CHECK(cudaMalloc(&paths, count * sizeof(unsigned int)));
  corpus::fill(adjacency, count, 0, 50, 1);
  dim3 block(8, 8), grid((n + 7) / 8, (n + 7) / 8);
  for (int i = 0; i < 3; i++) {
    countPaths<<<grid, block>>>(adjacency, paths, n);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("paths", paths, count);
  cudaFree(adjacency);
  cudaFree(paths);
  return 0;
}
