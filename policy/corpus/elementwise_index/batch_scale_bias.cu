// out = x * gamma[channel] / sqrt(variance[channel] + eps) + beta[channel]: the
// channel by division and remainder, the root by every thread.
#include "../corpus.h"

typedef unsigned int uint;

__global__ void batchScaleBias(float *x, float *gamma, float *beta,
                               float *variance, float *out, uint channels,
                               uint area, uint total) {
  uint t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < total) {
    uint channel = t / area % channels;
    out[t] =
        x[t] * gamma[channel] / sqrt(variance[channel] + 1e-5) + beta[channel];
  }
}

int main(int argc, char **argv) {
  int batch = 16, channels = 64, area = 56 * 56;
  corpus::parseSize(argc, argv, "--batch", &batch, 3);
  corpus::parseSize(argc, argv, "--channels", &channels, 6);
  corpus::parseSize(argc, argv, "--n", &area, 49);
  uint total = batch * channels * area;

  float *x, *gamma, *beta, *variance, *out;
  CUDA_CHECK(cudaMalloc(&x, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&gamma, channels * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&beta, channels * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&variance, channels * sizeof(float)));
  corpus::fill(x, total, -3.0, 3.0, 1);
  corpus::fill(gamma, channels, 0.5, 1.5, 2);
  corpus::fill(beta, channels, -0.2, 0.2, 3);
  corpus::fill(variance, channels, 0.1, 2.0, 4);

  for (int layer = 0; layer < 5; layer++) {
    batchScaleBias<<<(total + 511) / 512, 512>>>(x, gamma, beta, variance, out,
                                                 channels, area, total);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("out", out, total);
  for (float *buffer : {x, gamma, beta, variance, out})
    CUDA_CHECK(cudaFree(buffer));
}
