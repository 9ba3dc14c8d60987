// Scores of attention, heads along z: scaled dot products where the key is not
// later than the query, minus infinity elsewhere.
#include "../corpus.h"

__global__ void causalScores(const float *query, const float *key,
                             float *scores, int length, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int head = blockIdx.z;
  if (i >= length || j >= length)
    return;
  const float *q = query + head * length * depth;
  const float *k = key + head * length * depth;
  float s = -1e9f;
  if (j <= i) {
    s = 0.0f;
    for (int d = 0; d < depth; d++)
      s += q[i * depth + d] * k[j * depth + d];
    s = s / sqrtf((float)depth);
  }
  scores[(head * length + i) * length + j] = s;
}

int main(int argc, char **argv) {
  int heads = 12, length = 512, depth = 64;
  corpus::parseSize(argc, argv, "--heads", &heads, 2);
  corpus::parseSize(argc, argv, "--n", &length, 29);
  corpus::parseSize(argc, argv, "--depth", &depth, 16);
  size_t in = (size_t)heads * length * depth;
  size_t out = (size_t)heads * length * length;
  float *query, *key, *scores;
  CUDA_CHECK(cudaMalloc(&query, in * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&key, in * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&scores, out * sizeof(float)));
  corpus::fill(query, in, -1.0, 1.0, 1);
  corpus::fill(key, in, -1.0, 1.0, 2);
  dim3 block(16, 16), grid((length + 15) / 16, (length + 15) / 16, heads);
  for (int i = 0; i < 3; i++)
    causalScores<<<grid, block>>>(query, key, scores, length, depth);
  corpus::printChecksum("scores", scores, out);
  cudaFree(query);
  cudaFree(key);
  cudaFree(scores);
}
