// Assignment step of k-means: the nearest of K centroids for each point, then
// sums of the points of each cluster by atomics.
#include "../corpus.h"

#define D 8

__global__ void assign(float *points, float *centroids, int *cluster, int n,
                       int K) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < n) {
    float best = 3.4e38f;
    int bestK = 0;
    for (int k = 0; k < K; k++) {
      float dist = 0.0f;
      for (int d = 0; d < D; d++) {
        float diff = points[p * D + d] - centroids[k * D + d];
        dist += diff * diff;
      }
      dist = sqrt(dist);
      if (dist < best) {
        best = dist;
        bestK = k;
      }
    }
    cluster[p] = bestK;
  }
}

__global__ void accumulate(float *points, int *cluster, float *sums,
                           int *members, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n)
    return;
  for (int d = 0; d < D; d++)
    atomicAdd(&sums[cluster[p] * D + d], points[p * D + d]);
  atomicAdd(&members[cluster[p]], 1);
}

int main(int argc, char **argv) {
  int n = 400000, K = 40;
  corpus::parseSize(argc, argv, "--points", &n, 600);
  corpus::parseSize(argc, argv, "--clusters", &K, 7);
  float *points, *centroids, *sums;
  int *cluster, *members;
  CUDA_CHECK(cudaMalloc(&points, sizeof(float) * n * D));
  CUDA_CHECK(cudaMalloc(&centroids, sizeof(float) * K * D));
  CUDA_CHECK(cudaMalloc(&sums, sizeof(float) * K * D));
  CUDA_CHECK(cudaMalloc(&cluster, sizeof(int) * n));
  CUDA_CHECK(cudaMalloc(&members, sizeof(int) * K));
  corpus::fill(points, (size_t)n * D, 0.0, 1.0, 11);
  corpus::fill(centroids, (size_t)K * D, 0.0, 1.0, 12);
  CUDA_CHECK(cudaMemset(sums, 0, sizeof(float) * K * D));
  CUDA_CHECK(cudaMemset(members, 0, sizeof(int) * K));
  for (int i = 0; i < 3; i++) {
    assign<<<(n + 255) / 256, 256>>>(points, centroids, cluster, n, K);
    accumulate<<<(n + 255) / 256, 256>>>(points, cluster, sums, members, n);
  }
  corpus::printChecksum("sums", sums, (size_t)K * D);
  corpus::printChecksum("members", members, K);
  cudaFree(points);
  cudaFree(centroids);
  cudaFree(sums);
  cudaFree(cluster);
  cudaFree(members);
}
