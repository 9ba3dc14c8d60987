// Kernel density at each query point; the bandwidth is read anew in every turn.
#include "../corpus.h"

__global__ void density(float *query, float *sample, float *bandwidth,
                        float *result, int queries, int samples) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q < queries) {
    result[q] = 0.0f;
    for (int s = 0; s < samples; s++) {
      float d = (query[q] - sample[s]) / bandwidth[0];
      result[q] += exp(-0.5 * d * d);
    }
    result[q] /= samples * bandwidth[0] * sqrt(2.0 * 3.14159265);
  }
}

int main(int argc, char **argv) {
  int queries = 100000, samples = 1500;
  corpus::parseSize(argc, argv, "--n", &queries, 200);
  corpus::parseSize(argc, argv, "--samples", &samples, 40);
  float *query, *sample, *bandwidth, *result;
  CUDA_CHECK(cudaMalloc(&query, queries * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&sample, samples * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&bandwidth, sizeof(float)));
  CUDA_CHECK(cudaMalloc(&result, queries * sizeof(float)));
  corpus::fill(query, queries, -3.0, 3.0, 1);
  corpus::fill(sample, samples, -3.0, 3.0, 2);
  corpus::fill(bandwidth, 1, 0.2, 0.4, 3);
  for (int i = 0; i < 3; i++)
    density<<<(queries + 255) / 256, 256>>>(query, sample, bandwidth, result,
                                            queries, samples);
  corpus::printChecksum("density", result, queries);
  cudaFree(query);
  cudaFree(sample);
  cudaFree(bandwidth);
  cudaFree(result);
  return 0;
}
