// In- and out-degrees of a graph from its list of edges, by integer atomics,
// and the number of loops in one counter.
#include "../corpus.h"

__global__ void countDegrees(int2 *edges, int *in, int *out, int *loops,
                             int numEdges) {
  int stride = blockDim.x * gridDim.x;
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < numEdges;
       e += stride) {
    atomicAdd(out + edges[e].x, 1);
    atomicAdd(in + edges[e].y, 1);
    if (edges[e].x == edges[e].y)
      atomicAdd(loops, 1);
  }
}

int main(int argc, char **argv) {
  int nodes = 40000, numEdges = 3000000;
  corpus::parseSize(argc, argv, "--nodes", &nodes, 50);
  corpus::parseSize(argc, argv, "--edges", &numEdges, 1600);
  int2 *edges;
  int *in, *out, *loops;
  CUDA_CHECK(cudaMalloc(&edges, numEdges * sizeof(int2)));
  CUDA_CHECK(cudaMalloc(&in, nodes * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&out, nodes * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&loops, sizeof(int)));
  CUDA_CHECK(cudaMemset(in, 0, nodes * sizeof(int)));
  CUDA_CHECK(cudaMemset(out, 0, nodes * sizeof(int)));
  CUDA_CHECK(cudaMemset(loops, 0, sizeof(int)));
  corpus::fill((int *)edges, 2 * (size_t)numEdges, 0, nodes, 15);
  for (int i = 0; i < 3; i++)
    countDegrees<<<512, 128>>>(edges, in, out, loops, numEdges);
  corpus::printChecksum("in", in, nodes);
  corpus::printChecksum("out", out, nodes);
  corpus::printChecksum("loops", loops, 1);
  cudaFree(edges);
  cudaFree(in);
  cudaFree(out);
  cudaFree(loops);
}
