// Exponential moving average down each channel of a recording: a recurrence.
#include "../corpus.h"

__global__ void ema(const float *__restrict__ x, float *__restrict__ y,
                    float alpha, int channels, int samples) {
  const int ch = blockIdx.x * blockDim.x + threadIdx.x;
  if (ch < channels) {
    float state = x[ch];
    const float *from = x + ch;
    float *to = y + ch;
    for (int t = 0; t < samples; ++t, from += channels, to += channels) {
      state = alpha * *from + (1.0f - alpha) * state;
      *to = state;
    }
  }
}

int main(int argc, char **argv) {
  int channels = 8192, samples = 1000;
  corpus::parseSize(argc, argv, "--n", &channels, 90);
  corpus::parseSize(argc, argv, "--samples", &samples, 33);
  float *x, *y;
  size_t n = (size_t)channels * samples;
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(float)));
  corpus::fill(x, n, -1.0, 1.0, 12);
  for (int i = 0; i < 3; i++)
    ema<<<(channels + 255) / 256, 256>>>(x, y, 0.05f, channels, samples);
  corpus::printChecksum("smoothed", y, n);
  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFree(y));
}
