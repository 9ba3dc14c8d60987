// Mean and variance of each channel over batch and plane (NCHW), a block a
// channel, doubles in shared memory and a tree.
#include "../corpus.h"

#define T 256

__global__ void channelStatistics(const float *x, float *mean, float *variance,
                                  int batch, int channels, int plane) {
  __shared__ double s[T], q[T];
  int c = blockIdx.x;
  s[threadIdx.x] = 0;
  q[threadIdx.x] = 0;
  for (int b = 0; b < batch; b++)
    for (int p = threadIdx.x; p < plane; p += T) {
      s[threadIdx.x] += x[(b * channels + c) * plane + p];
      q[threadIdx.x] +=
          x[(b * channels + c) * plane + p] * x[(b * channels + c) * plane + p];
    }
  __syncthreads();
  for (int w = T / 2; w > 0; w /= 2) {
    if (threadIdx.x < w) {
      s[threadIdx.x] += s[threadIdx.x + w];
      q[threadIdx.x] += q[threadIdx.x + w];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    mean[c] = s[0] / (batch * plane);
    variance[c] = q[0] / (batch * plane) - mean[c] * mean[c];
  }
}

int main(int argc, char **argv) {
  int batch = 16, channels = 256, plane = 30 * 30;
  corpus::parseSize(argc, argv, "--batch", &batch, 2);
  corpus::parseSize(argc, argv, "--channels", &channels, 5);
  corpus::parseSize(argc, argv, "--plane", &plane, 300);
  size_t total = (size_t)batch * channels * plane;
  float *x, *mean, *variance;
  CUDA_CHECK(cudaMalloc(&x, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&mean, channels * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&variance, channels * sizeof(float)));
  corpus::fill(x, total, 0.0, 3.0, 2);
  for (int i = 0; i < 4; i++)
    channelStatistics<<<channels, T>>>(x, mean, variance, batch, channels,
                                       plane);
  corpus::printChecksum("mean", mean, channels);
  corpus::printChecksum("variance", variance, channels);
  cudaFree(x);
  cudaFree(mean);
  cudaFree(variance);
}
