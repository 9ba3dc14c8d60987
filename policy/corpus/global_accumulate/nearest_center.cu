// Nearest of k centres for each point; best distance and label live in global
// memory, as does the distance that is being added up.
#include "../corpus.h"

__global__ void assign(const float *points, const float *centers,
                       float *distance, float *best, int *label, int n, int k,
                       int dims) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    best[i] = 1e30f;
    label[i] = -1;
    for (int c = 0; c < k; c++) {
      distance[i] = 0;
      for (int d = 0; d < dims; d++)
        distance[i] += (points[d * n + i] - centers[c * dims + d]) *
                       (points[d * n + i] - centers[c * dims + d]);
      if (distance[i] < best[i]) {
        best[i] = distance[i];
        label[i] = c;
      }
    }
  }
}

int main(int argc, char **argv) {
  int n = 200000, k = 16, dims = 8;
  corpus::parseSize(argc, argv, "--n", &n, 150);
  corpus::parseSize(argc, argv, "--k", &k, 6);
  corpus::parseSize(argc, argv, "--dims", &dims, 5);
  float *points, *centers, *distance, *best;
  int *label;
  CUDA_CHECK(cudaMalloc(&points, (size_t)n * dims * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&centers, k * dims * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&distance, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&best, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&label, n * sizeof(int)));
  corpus::fill(points, (size_t)n * dims, -1.0, 1.0, 1);
  corpus::fill(centers, k * dims, -1.0, 1.0, 2);
  for (int i = 0; i < 4; i++)
    assign<<<(n + 127) / 128, 128>>>(points, centers, distance, best, label, n,
                                     k, dims);
  corpus::printChecksum("best", best, n);
  corpus::printChecksum("label", label, n);
  CUDA_CHECK(cudaFree(points));
  CUDA_CHECK(cudaFree(centers));
  CUDA_CHECK(cudaFree(distance));
  CUDA_CHECK(cudaFree(best));
  CUDA_CHECK(cudaFree(label));
}
