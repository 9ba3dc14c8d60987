// Integral over each interval by 16 nodes: all threads read the same nodes and
// weights in the same turn.
#include "../corpus.h"

const int NODES = 16;

__global__ void quadrature(const double *node, const double *weight,
                           const double *from, const double *to,
                           double *integral, int intervals) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < intervals) {
    double sum = 0.0;
    for (int k = 0; k < NODES; k++) {
      double x = (to[i] + from[i]) / 2 + (to[i] - from[i]) / 2 * node[k];
      sum += weight[k] * x * x / (1.0 + x * x * x * x);
    }
    integral[i] = (to[i] - from[i]) / 2 * sum;
  }
}

int main(int argc, char **argv) {
  int intervals = 1 << 20;
  corpus::parseSize(argc, argv, "--n", &intervals, 500);
  std::vector<double> nodes(NODES), weights(NODES);
  for (int k = 0; k < NODES; k++) { // Chebyshev's nodes, close enough
    nodes[k] = cos(3.141592653589793 * (k + 0.5) / NODES);
    weights[k] = 3.141592653589793 / NODES * sqrt(1 - nodes[k] * nodes[k]);
  }
  double *node, *weight, *from, *to, *integral;
  CUDA_CHECK(cudaMalloc(&node, NODES * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&weight, NODES * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&from, intervals * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&to, intervals * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&integral, intervals * sizeof(double)));
  CUDA_CHECK(cudaMemcpy(node, nodes.data(), NODES * sizeof(double),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(weight, weights.data(), NODES * sizeof(double),
                        cudaMemcpyHostToDevice));
  corpus::fill(from, intervals, -2.0, 0.0, 1);
  corpus::fill(to, intervals, 0.5, 2.0, 2);
  for (int i = 0; i < 4; i++)
    quadrature<<<(intervals + 127) / 128, 128>>>(node, weight, from, to,
                                                 integral, intervals);
  corpus::printChecksum("integral", integral, intervals);
  cudaFree(node);
  cudaFree(weight);
  cudaFree(from);
  cudaFree(to);
  cudaFree(integral);
  return 0;
}
