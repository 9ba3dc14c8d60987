// Nearest of many points to a target, block by block: the value and its place
// move up the tree together.
#include "../corpus.h"

__global__ void nearest(const float2 *points, float2 target, float *distance,
                        int *place, int n) {
  __shared__ float d[128];
  __shared__ int at[128];
  int t = threadIdx.x;
  int i = blockIdx.x * 128 + t;
  d[t] = 1e30f;
  at[t] = -1;
  if (i < n) {
    float dx = points[i].x - target.x, dy = points[i].y - target.y;
    d[t] = sqrtf(dx * dx + dy * dy);
    at[t] = i;
  }
  __syncthreads();
  for (int s = 64; s >= 1; s = s / 2) {
    if (t < s && d[t + s] < d[t]) {
      d[t] = d[t + s];
      at[t] = at[t + s];
    }
    __syncthreads();
  }
  if (t == 0) {
    distance[blockIdx.x] = d[0];
    place[blockIdx.x] = at[0];
  }
}

int main(int argc, char **argv) {
  int n = 9000000;
  corpus::parseSize(argc, argv, "--n", &n, 3001);
  int blocks = (n + 127) / 128;
  float2 *points;
  float *distance;
  int *place;
  CUDA_CHECK(cudaMalloc(&points, n * sizeof(float2)));
  CUDA_CHECK(cudaMalloc(&distance, blocks * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&place, blocks * sizeof(int)));
  corpus::fill((float *)points, 2 * (size_t)n, -1.0, 1.0, 60);
  for (int i = 0; i < 3; i++) {
    nearest<<<blocks, 128>>>(points, make_float2(0.25f, -0.5f), distance, place,
                             n);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("distance", distance, blocks);
  corpus::printChecksum("place", place, blocks);
  cudaFree(points);
  cudaFree(distance);
  cudaFree(place);
}
