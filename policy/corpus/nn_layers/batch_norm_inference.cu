// Batch normalisation with stored statistics, NCHW, rectified; the channel
// comes from a division of the flat index.
#include "../corpus.h"

__global__ void batchNorm(float *x, float *mean, float *var, float *gamma,
                          float *beta, float *y, int total, int channels,
                          int plane, float eps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) {
    int c = (i / plane) % channels;
    y[i] = gamma[c] * (x[i] - mean[c]) / sqrt(var[c] + eps) + beta[c];
    if (y[i] < 0)
      y[i] = 0;
  }
}

int main(int argc, char **argv) {
  int batch = 32, channels = 128, plane = 56 * 56;
  corpus::parseSize(argc, argv, "--batch", &batch, 2);
  corpus::parseSize(argc, argv, "--channels", &channels, 7);
  corpus::parseSize(argc, argv, "--plane", &plane, 91);
  int total = batch * channels * plane;
  float *x, *y, *stats[4];
  CUDA_CHECK(cudaMalloc(&x, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, total * sizeof(float)));
  for (int k = 0; k < 4; k++) {
    CUDA_CHECK(cudaMalloc(&stats[k], channels * sizeof(float)));
    corpus::fill(stats[k], channels, 0.1, 1.0, 20 + k);
  }
  corpus::fill(x, total, -2.0, 2.0, 1);
  for (int i = 0; i < 3; i++)
    batchNorm<<<(total + 255) / 256, 256>>>(x, stats[0], stats[1], stats[2],
                                            stats[3], y, total, channels, plane,
                                            1e-5f);
  corpus::printChecksum("y", y, total);
  cudaFree(x);
  cudaFree(y);
  for (int k = 0; k < 4; k++)
    cudaFree(stats[k]);
}
