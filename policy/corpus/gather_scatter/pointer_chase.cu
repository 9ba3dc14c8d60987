// Follows a short chain of links from each start and adds up what lies there.
#include "../corpus.h"

__global__ void chase(const unsigned *next, const float *payload, float *total,
                      unsigned nodes, int hops) {
  unsigned start = blockIdx.x * blockDim.x + threadIdx.x;
  if (start < nodes) {
    unsigned at = start;
    float sum = 0.0f;
    for (int h = 0; h < hops; h++) {
      sum += payload[at] / (h + 1);
      at = next[at];
    }
    total[start] = sum;
  }
}

int main(int argc, char **argv) {
  int nodes = 1500000, hops = 8;
  corpus::parseSize(argc, argv, "--nodes", &nodes, 900);
  corpus::parseSize(argc, argv, "--hops", &hops, 6);
  unsigned *next;
  float *payload, *total;
  CUDA_CHECK(cudaMalloc(&next, nodes * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&payload, nodes * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&total, nodes * sizeof(float)));
  corpus::fill(next, nodes, 0, nodes, 9);
  corpus::fill(payload, nodes, 0.0, 1.0, 10);
  chase<<<(nodes + 127) / 128, 128>>>(next, payload, total, nodes, hops);
  chase<<<(nodes + 127) / 128, 128>>>(next, payload, total, nodes, hops);
  chase<<<(nodes + 127) / 128, 128>>>(next, payload, total, nodes, hops);
  corpus::printChecksum("total", total, nodes);
  cudaFree(next);
  cudaFree(payload);
  cudaFree(total);
}
