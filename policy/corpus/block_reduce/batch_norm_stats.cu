// Mean and variance of each channel over a batch: a block for each channel, two
// trees in turn in one shared array, then the channel is normalised.
#include "../corpus.h"

__global__ void batchNorm(const float *x, float *y, float *mean, float *var,
                          int batch, int channels, int area) {
  __shared__ float buf[256];
  int c = blockIdx.x, tid = threadIdx.x;
  int total = batch * area;

  float s = 0;
  for (int k = tid; k < total; k += blockDim.x)
    s += x[((k / area) * channels + c) * area + k % area];
  buf[tid] = s;
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (tid < w)
      buf[tid] += buf[tid + w];
    __syncthreads();
  }
  float m = buf[0] / total;
  __syncthreads();

  s = 0;
  for (int k = tid; k < total; k += blockDim.x) {
    float d = x[((k / area) * channels + c) * area + k % area] - m;
    s += d * d;
  }
  buf[tid] = s;
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (tid < w)
      buf[tid] += buf[tid + w];
    __syncthreads();
  }
  float v = buf[0] / total;
  if (tid == 0) {
    mean[c] = m;
    var[c] = v;
  }
  for (int k = tid; k < total; k += blockDim.x) {
    int at = ((k / area) * channels + c) * area + k % area;
    y[at] = (x[at] - m) / sqrtf(v + 1e-5f);
  }
}

int main(int argc, char **argv) {
  int batch = 32, channels = 96, area = 28 * 28;
  corpus::parseSize(argc, argv, "--batch", &batch, 3);
  corpus::parseSize(argc, argv, "--n", &channels, 7);
  corpus::parseSize(argc, argv, "--area", &area, 49);
  size_t count = (size_t)batch * channels * area;
  float *x, *y, *mean, *var;
  CUDA_CHECK(cudaMalloc(&x, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&mean, channels * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&var, channels * sizeof(float)));
  corpus::fill(x, count, 0.0, 4.0, 5);
  for (int i = 0; i < 3; i++)
    batchNorm<<<channels, 256>>>(x, y, mean, var, batch, channels, area);
  corpus::printChecksum("y", y, count);
  corpus::printChecksum("var", var, channels);
  cudaFree(x);
  cudaFree(y);
  cudaFree(mean);
  cudaFree(var);
  return 0;
}
