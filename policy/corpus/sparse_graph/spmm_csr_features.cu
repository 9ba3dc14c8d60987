// A graph layer's aggregation: sparse matrix (CSR, no values) times a dense
// feature matrix, scaled by the degree; a block per node, a thread a feature.
#include "../corpus.h"

__global__ void aggregate(const int *rowStart, const int *neighbour,
                          const float *features, float *result, int width) {
  int node = blockIdx.x;
  for (int f = threadIdx.x; f < width; f += blockDim.x) {
    float *target = result + (size_t)node * width + f;
    *target = features[(size_t)node * width + f];
    for (int e = rowStart[node]; e < rowStart[node + 1]; ++e)
      *target += features[(size_t)neighbour[e] * width + f] /
                 sqrtf((float)(rowStart[node + 1] - rowStart[node]));
  }
}

int main(int argc, char **argv) {
  int nodes = 25000, width = 128;
  corpus::parseSize(argc, argv, "--nodes", &nodes, 40);
  corpus::parseSize(argc, argv, "--width", &width, 35);
  std::vector<int> starts(nodes + 1, 0);
  for (int v = 0; v < nodes; v++)
    starts[v + 1] = starts[v] + 4 + (v * 37) % 13;
  int edges = starts[nodes];
  int *rowStart, *neighbour;
  float *features, *result;
  CUDA_CHECK(cudaMalloc(&rowStart, starts.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&neighbour, edges * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&features, sizeof(float) * nodes * width));
  CUDA_CHECK(cudaMalloc(&result, sizeof(float) * nodes * width));
  CUDA_CHECK(cudaMemcpy(rowStart, starts.data(), starts.size() * sizeof(int),
                        cudaMemcpyHostToDevice));
  corpus::fill(neighbour, edges, 0, nodes, 8);
  corpus::fill(features, (size_t)nodes * width, -1.0, 1.0, 9);
  for (int layer = 0; layer < 3; layer++)
    aggregate<<<nodes, 64>>>(rowStart, neighbour, features, result, width);
  corpus::printChecksum("aggregated", result, (size_t)nodes * width);
  cudaFree(rowStart);
  cudaFree(neighbour);
  cudaFree(features);
  cudaFree(result);
}
