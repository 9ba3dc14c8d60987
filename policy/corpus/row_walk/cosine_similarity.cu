// Cosine similarity of the rows of two tables of embeddings.
#include "../corpus.h"

__global__ void cosine_similarity(float *u, float *v, float *sim, int n,
                                  int dim) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < n) {
    float uv = 0, uu = 0, vv = 0;
    for (int d = 0; d < dim; d++) {
      uv += u[tid * dim + d] * v[tid * dim + d];
      uu += pow(u[tid * dim + d], 2);
      vv += pow(v[tid * dim + d], 2);
    }
    sim[tid] = uv / (sqrt(uu) * sqrt(vv));
  }
}

int main(int argc, char **argv) {
  int n = 30000, dim = 384;
  corpus::parseSize(argc, argv, "--n", &n, 55);
  corpus::parseSize(argc, argv, "--dim", &dim, 48);
  float *u, *v, *sim;
  CUDA_CHECK(cudaMalloc(&u, (size_t)n * dim * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&v, (size_t)n * dim * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&sim, n * sizeof(float)));
  corpus::fill(u, (size_t)n * dim, 0.0, 1.0, 1);
  corpus::fill(v, (size_t)n * dim, 0.0, 1.0, 2);
  int block_size = 512;
  int num_blocks = (n + block_size - 1) / block_size;
  for (int i = 0; i < 3; i++)
    cosine_similarity<<<num_blocks, block_size>>>(u, v, sim, n, dim);
  corpus::printChecksum("similarity", sim, n);
  cudaFree(u);
  cudaFree(v);
  cudaFree(sim);
  return 0;
}
