// Cosine similarity of all pairs of rows; lengths are computed anew for every
// pair, and the row comes from threadIdx.x.
#include "../corpus.h"

__global__ void cosine(const float *features, float *similarity, int n,
                       int dim) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  int b = blockIdx.y * blockDim.y + threadIdx.y;
  if (a < n && b < n) {
    float dot = 0.0f, lengthA = 0.0f, lengthB = 0.0f;
    for (int d = 0; d < dim; d++) {
      dot += features[a * dim + d] * features[b * dim + d];
      lengthA += features[a * dim + d] * features[a * dim + d];
      lengthB += features[b * dim + d] * features[b * dim + d];
    }
    similarity[a * n + b] = dot / (sqrtf(lengthA) * sqrtf(lengthB));
  }
}

int main(int argc, char **argv) {
  int n = 1200, dim = 48;
  corpus::parseSize(argc, argv, "--n", &n, 41);
  corpus::parseSize(argc, argv, "--dim", &dim, 13);
  float *features, *similarity;
  CUDA_CHECK(cudaMalloc(&features, sizeof(float) * n * dim));
  CUDA_CHECK(cudaMalloc(&similarity, sizeof(float) * n * n));
  corpus::fill(features, (size_t)n * dim, 0.0, 1.0, 6);
  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  for (int i = 0; i < 3; i++)
    cosine<<<grid, block>>>(features, similarity, n, dim);
  corpus::printChecksum("similarity", similarity, (size_t)n * n);
  cudaFree(features);
  cudaFree(similarity);
}
