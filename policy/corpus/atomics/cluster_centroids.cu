// The sums of a k-means step: each point is added to the centroid of its label.
#include "../corpus.h"

#define DIM 3

__global__ void accumulateCentroids(const float *points, const int *labels,
                                    float *sums, int *sizes, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int label = labels[i] % k;
    for (int d = 0; d < DIM; d++)
      atomicAdd(&sums[label * DIM + d], points[i * DIM + d]);
    atomicAdd(&sizes[label], 1);
  }
}

int main(int argc, char **argv) {
  int n = 1000000, k = 20;
  corpus::parseSize(argc, argv, "--n", &n, 1501);
  corpus::parseSize(argc, argv, "--k", &k, 5);
  float *points, *sums;
  int *labels, *sizes;
  CUDA_CHECK(cudaMalloc(&points, (size_t)n * DIM * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&labels, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&sums, k * DIM * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&sizes, k * sizeof(int)));
  corpus::fill(points, (size_t)n * DIM, 0.0, 1.0, 5);
  corpus::fill(labels, n, 0, 1000, 6);
  for (int i = 0; i < 3; i++) {
    CUDA_CHECK(cudaMemset(sums, 0, k * DIM * sizeof(float)));
    CUDA_CHECK(cudaMemset(sizes, 0, k * sizeof(int)));
    accumulateCentroids<<<(n + 255) / 256, 256>>>(points, labels, sums, sizes,
                                                  n, k);
  }
  corpus::printChecksum("sums", sums, (size_t)k * DIM);
  corpus::printChecksum("sizes", sizes, k);
  cudaFree(points);
  cudaFree(labels);
  cudaFree(sums);
  cudaFree(sizes);
}
