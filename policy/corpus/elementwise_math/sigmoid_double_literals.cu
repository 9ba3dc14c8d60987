// Logistic function and its derivative, written with double literals.
#include "../corpus.h"

__global__ void sigmoid(float *x, float *y, float *dy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = 1.0 / (1.0 + exp(-x[i]));
    dy[i] = y[i] * (1.0 - y[i]);
  }
}

int main(int argc, char **argv) {
  int n = 4 << 20;
  corpus::parseSize(argc, argv, "--n", &n, 3001);

  float *d_x, *d_y, *d_dy;
  CUDA_CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_y, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_dy, n * sizeof(float)));
  corpus::fill(d_x, n, -6.0, 6.0);

  int threads = 256;
  int blocks = (n + threads - 1) / threads;
  for (int run = 0; run < 4; run++)
    sigmoid<<<blocks, threads>>>(d_x, d_y, d_dy, n);

  corpus::printChecksum("y", d_y, n);
  corpus::printChecksum("dy", d_dy, n);
  cudaFree(d_x);
  cudaFree(d_y);
  cudaFree(d_dy);
  return 0;
}
