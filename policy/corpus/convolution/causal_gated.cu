// Causal convolution in time with a gate, as in audio networks: two filters,
// the past only.
#include "../corpus.h"

__global__ void gatedConv(const float *x, const float *wFilter,
                          const float *wGate, float *y, int channels, int time,
                          int width, int dilation) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int ch = blockIdx.y * blockDim.y + threadIdx.y;
  if (t < time && ch < channels) {
    float f = 0, g = 0;
    for (int k = 0; k < width; k++) {
      int past = t - k * dilation;
      float v = past >= 0 ? x[ch * time + past] : 0.0f;
      f += v * wFilter[ch * width + k];
      g += v * wGate[ch * width + k];
    }
    y[ch * time + t] = tanh(f) * (1.0 / (1.0 + exp(-g)));
  }
}

int main(int argc, char **argv) {
  int channels = 64, time = 48000, width = 16;
  corpus::parseSize(argc, argv, "--channels", &channels, 3);
  corpus::parseSize(argc, argv, "--n", &time, 400);
  corpus::parseSize(argc, argv, "--width", &width, 16);
  size_t n = (size_t)channels * time;
  float *x, *wFilter, *wGate, *y;
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&wFilter, channels * width * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&wGate, channels * width * sizeof(float)));
  corpus::fill(x, n, -1.0, 1.0, 1);
  corpus::fill(wFilter, channels * width, -0.5, 0.5, 2);
  corpus::fill(wGate, channels * width, -0.5, 0.5, 3);
  dim3 block(128, 2), grid((time + 127) / 128, (channels + 1) / 2);
  for (int i = 0; i < 3; i++)
    gatedConv<<<grid, block>>>(x, wFilter, wGate, y, channels, time, width, 4);
  corpus::printChecksum("y", y, n);
  cudaFree(x);
  cudaFree(y);
  cudaFree(wFilter);
  cudaFree(wGate);
}
