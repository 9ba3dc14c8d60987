// Nearest reference point for each query in the plane, coordinates in arrays
// of their own; distance and index.
#include "../corpus.h"

__global__ void nearest(float *qx, float *qy, float *rx, float *ry,
                        float *distance, int *index, int queries, int refs) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queries)
    return;
  distance[q] = 1e30f;
  index[q] = -1;
  for (int r = 0; r < refs; r++) {
    float d = sqrtf((qx[q] - rx[r]) * (qx[q] - rx[r]) +
                    (qy[q] - ry[r]) * (qy[q] - ry[r]));
    if (d < distance[q]) {
      distance[q] = d;
      index[q] = r;
    }
  }
}

int main(int argc, char **argv) {
  int queries = 30000, refs = 3000;
  corpus::parseSize(argc, argv, "--queries", &queries, 300);
  corpus::parseSize(argc, argv, "--refs", &refs, 40);
  float *qx, *qy, *rx, *ry, *distance;
  int *index;
  CUDA_CHECK(cudaMalloc(&qx, queries * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&qy, queries * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&rx, refs * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&ry, refs * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&distance, queries * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&index, queries * sizeof(int)));
  corpus::fill(qx, queries, 0.0, 1.0, 1);
  corpus::fill(qy, queries, 0.0, 1.0, 2);
  corpus::fill(rx, refs, 0.0, 1.0, 3);
  corpus::fill(ry, refs, 0.0, 1.0, 4);
  for (int i = 0; i < 3; i++)
    nearest<<<(queries + 127) / 128, 128>>>(qx, qy, rx, ry, distance, index,
                                            queries, refs);
  corpus::printChecksum("distance", distance, queries);
  corpus::printChecksum("index", index, queries);
  cudaFree(qx);
  cudaFree(qy);
  cudaFree(rx);
  cudaFree(ry);
  cudaFree(distance);
  cudaFree(index);
}
