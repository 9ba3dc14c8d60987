// (batch, token, head, dim) to (batch, head, token, dim), as before attention:
// one block a token, its threads walk over all heads.
#include "../corpus.h"

__global__ void splitHeads(const float *qkv, float *heads, int tokens,
                           int numHeads, int dim) {
  int token = blockIdx.x;
  int batch = blockIdx.y;
  for (int e = threadIdx.x; e < numHeads * dim; e += blockDim.x) {
    int head = e / dim;
    int d = e % dim;
    heads[((batch * numHeads + head) * tokens + token) * dim + d] =
        qkv[(batch * tokens + token) * numHeads * dim + e];
  }
}

int main(int argc, char **argv) {
  int batches = 8, tokens = 1024, numHeads = 12, dim = 64;
  corpus::parseSize(argc, argv, "--batches", &batches, 2);
  corpus::parseSize(argc, argv, "--tokens", &tokens, 17);
  corpus::parseSize(argc, argv, "--heads", &numHeads, 3);
  corpus::parseSize(argc, argv, "--dim", &dim, 20);
  size_t count = (size_t)batches * tokens * numHeads * dim;
  float *qkv, *heads;
  CUDA_CHECK(cudaMalloc(&qkv, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&heads, count * sizeof(float)));
  corpus::fill(qkv, count, -2.0, 2.0, 14);
  dim3 grid(tokens, batches);
  splitHeads<<<grid, 128>>>(qkv, heads, tokens, numHeads, dim);
  splitHeads<<<grid, 128>>>(qkv, heads, tokens, numHeads, dim);
  splitHeads<<<grid, 128>>>(qkv, heads, tokens, numHeads, dim);
  corpus::printChecksum("heads", heads, count);
  cudaFree(qkv);
  cudaFree(heads);
}
