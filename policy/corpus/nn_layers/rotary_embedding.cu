// Rotary position embedding: pairs of features turned by an angle from powf,
// sinf and cosf, the token in threadIdx.x.
#include "../corpus.h"

__global__ void rotate(float *q, int tokens, int dim, float base) {
  int token = blockIdx.x * blockDim.x + threadIdx.x;
  int pair = blockIdx.y * blockDim.y + threadIdx.y;
  if (token < tokens && pair < dim / 2) {
    float angle = token / powf(base, 2.0f * pair / dim);
    float a = q[token * dim + 2 * pair];
    float b = q[token * dim + 2 * pair + 1];
    q[token * dim + 2 * pair] = a * cosf(angle) - b * sinf(angle);
    q[token * dim + 2 * pair + 1] = a * sinf(angle) + b * cosf(angle);
  }
}

int main(int argc, char **argv) {
  int tokens = 16384, dim = 256;
  corpus::parseSize(argc, argv, "--tokens", &tokens, 50);
  corpus::parseSize(argc, argv, "--dim", &dim, 24);
  size_t n = (size_t)tokens * dim;
  float *q;
  CUDA_CHECK(cudaMalloc(&q, n * sizeof(float)));
  corpus::fill(q, n, -1.0, 1.0, 3);
  dim3 block(32, 8), grid((tokens + 31) / 32, (dim + 15) / 16);
  for (int i = 0; i < 3; i++)
    rotate<<<grid, block>>>(q, tokens, dim, 10000.0f);
  corpus::printChecksum("q", q, n);
  cudaFree(q);
}
