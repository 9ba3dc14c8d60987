// Rank sort: each element counts how many are smaller (or equal and before it)
// and goes to that place.
#include "../corpus.h"

__global__ void rankSort(double *in, double *out, int *rank, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  rank[i] = 0;
  for (int j = 0; j < n; j++) {
    if (in[j] < in[i] || (in[j] == in[i] && j < i))
      rank[i]++;
  }
  out[rank[i]] = in[i];
}

int main(int argc, char **argv) {
  int n = 12000;
  corpus::parseSize(argc, argv, "--n", &n, 230);
  double *in, *out;
  int *rank;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&rank, n * sizeof(int)));
  corpus::fill(in, n, -50.0, 50.0, 7);
  for (int i = 0; i < 3; i++)
    rankSort<<<(n + 95) / 96, 96>>>(in, out, rank, n);
  corpus::printChecksum("sorted", out, n);
  cudaFree(in);
  cudaFree(out);
  cudaFree(rank);
}
