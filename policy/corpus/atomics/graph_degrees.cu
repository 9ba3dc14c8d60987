// In- and out-degree of each node from a list of edges as pairs.
#include "../corpus.h"

struct Edge {
  int from, to;
};

__global__ void degrees(Edge *edges, int *in, int *out, int numEdges) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < numEdges) {
    if (edges[e].from != edges[e].to) {
      atomicAdd(&out[edges[e].from], 1);
      atomicAdd(&in[edges[e].to], 1);
    }
  }
}

int main(int argc, char **argv) {
  int numEdges = 4000000, nodes = 100000;
  corpus::parseSize(argc, argv, "--n", &numEdges, 2003);
  corpus::parseSize(argc, argv, "--nodes", &nodes, 99);
  Edge *edges;
  int *in, *out;
  CUDA_CHECK(cudaMalloc(&edges, numEdges * sizeof(Edge)));
  CUDA_CHECK(cudaMalloc(&in, nodes * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&out, nodes * sizeof(int)));
  corpus::fill((int *)edges, 2 * (size_t)numEdges, 0, nodes, 77);
  for (int i = 0; i < 3; i++) {
    cudaMemset(in, 0, nodes * sizeof(int));
    cudaMemset(out, 0, nodes * sizeof(int));
    degrees<<<(numEdges + 511) / 512, 512>>>(edges, in, out, numEdges);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("in", in, nodes);
  corpus::printChecksum("out", out, nodes);
  cudaFree(edges);
  cudaFree(in);
  cudaFree(out);
  return 0;
}
