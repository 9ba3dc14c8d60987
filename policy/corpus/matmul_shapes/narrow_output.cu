// Many rows times a narrow matrix, as in a last layer: one index over all
// outputs, taken apart by division.
#include "../corpus.h"

__global__ void narrowProduct(const float *features, const float *weights,
                              float *scores, int samples, int inner,
                              int classes) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= samples * classes)
    return;
  int s = idx / classes;
  int c = idx % classes;
  float acc = 0.0f;
  for (int k = 0; k < inner; ++k)
    acc += features[s * inner + k] * weights[k * classes + c];
  scores[idx] = acc;
}

int main(int argc, char **argv) {
  int samples = 40000, inner = 256, classes = 10;
  corpus::parseSize(argc, argv, "--n", &samples, 60);
  corpus::parseSize(argc, argv, "--inner", &inner, 33);
  corpus::parseSize(argc, argv, "--classes", &classes, 10);
  float *features, *weights, *scores;
  CUDA_CHECK(cudaMalloc(&features, (size_t)samples * inner * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&weights, (size_t)inner * classes * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&scores, (size_t)samples * classes * sizeof(float)));
  corpus::fill(features, (size_t)samples * inner, 0.0, 1.0, 1);
  corpus::fill(weights, (size_t)inner * classes, 0.0, 1.0, 2);
  for (int i = 0; i < 3; i++)
    narrowProduct<<<(samples * classes + 255) / 256, 256>>>(
        features, weights, scores, samples, inner, classes);
  corpus::printChecksum("scores", scores, (size_t)samples * classes);
  cudaFree(features);
  cudaFree(weights);
  cudaFree(scores);
  return 0;
}
