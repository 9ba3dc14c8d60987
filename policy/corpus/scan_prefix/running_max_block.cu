// Running maximum within each block of 256 by doubling steps with two shared
// buffers, then drawdown: how far each value lies below that maximum.
#include "../corpus.h"

__global__ void drawdown(float *equity, float *below, int n) {
  __shared__ float buf[2][256];
  int i = blockIdx.x * 256 + threadIdx.x;
  int cur = 0;
  buf[0][threadIdx.x] = i < n ? equity[i] : -1e30f;
  __syncthreads();
  for (int step = 1; step < 256; step <<= 1) {
    if (threadIdx.x >= step)
      buf[1 - cur][threadIdx.x] =
          fmaxf(buf[cur][threadIdx.x], buf[cur][threadIdx.x - step]);
    else
      buf[1 - cur][threadIdx.x] = buf[cur][threadIdx.x];
    cur = 1 - cur;
    __syncthreads();
  }
  if (i < n)
    below[i] = (buf[cur][threadIdx.x] - equity[i]) / buf[cur][threadIdx.x];
}

int main(int argc, char **argv) {
  int n = 5000011;
  corpus::parseSize(argc, argv, "--n", &n, 1001);
  float *equity, *below;
  CUDA_CHECK(cudaMalloc(&equity, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&below, n * sizeof(float)));
  corpus::fill(equity, n, 50.0, 150.0, 12);
  for (int run = 0; run < 4; ++run)
    drawdown<<<(n + 255) / 256, 256>>>(equity, below, n);
  corpus::printChecksum("below", below, n);
  cudaFree(equity);
  cudaFree(below);
}
