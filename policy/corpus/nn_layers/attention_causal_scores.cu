// Scores of causal attention for several heads, tokens x heads x dim in one
// buffer; what lies in the future gets minus infinity's stand-in.
#include "../corpus.h"

__global__ void causalScores(float *q, float *k, float *scores, int tokens,
                             int heads, int dim) {
  int key = blockIdx.x * blockDim.x + threadIdx.x;
  int query = blockIdx.y * blockDim.y + threadIdx.y;
  int head = blockIdx.z;
  if (query < tokens && key < tokens) {
    if (key > query) {
      scores[(head * tokens + query) * tokens + key] = -10000.0f;
    } else {
      float dot = 0.0f;
      for (int d = 0; d < dim; d++)
        dot += q[(query * heads + head) * dim + d] *
               k[(key * heads + head) * dim + d];
      scores[(head * tokens + query) * tokens + key] = dot / sqrtf(dim);
    }
  }
}

int main(int argc, char **argv) {
  int tokens = 768, heads = 8, dim = 64;
  corpus::parseSize(argc, argv, "--tokens", &tokens, 33);
  corpus::parseSize(argc, argv, "--heads", &heads, 2);
  corpus::parseSize(argc, argv, "--dim", &dim, 12);
  size_t in = (size_t)tokens * heads * dim,
         out = (size_t)heads * tokens * tokens;
  float *q, *k, *scores;
  CUDA_CHECK(cudaMalloc(&q, in * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&k, in * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&scores, out * sizeof(float)));
  corpus::fill(q, in, -1.0, 1.0, 4);
  corpus::fill(k, in, -1.0, 1.0, 5);
  dim3 block(16, 16), grid((tokens + 15) / 16, (tokens + 15) / 16, heads);
  for (int i = 0; i < 3; i++)
    causalScores<<<grid, block>>>(q, k, scores, tokens, heads, dim);
  corpus::printChecksum("scores", scores, out);
  cudaFree(q);
  cudaFree(k);
  cudaFree(scores);
}
