// Exponential moving average of many channels, samples interleaved: a thread a
// channel walks through time; the factor comes from expf in the loop.
#include "../corpus.h"

__global__ void smoothChannels(float *samples, float *smooth, float *tau,
                               int channels, int steps, float dt) {
  int ch = blockIdx.x * blockDim.x + threadIdx.x;
  if (ch < channels) {
    smooth[ch] = samples[ch];
    for (int t = 1; t < steps; t++) {
      float keep = expf(-dt / tau[ch]);
      smooth[t * channels + ch] = keep * smooth[(t - 1) * channels + ch] +
                                  (1.0f - keep) * samples[t * channels + ch];
    }
  }
}

int main(int argc, char **argv) {
  int channels = 12000, steps = 400;
  corpus::parseSize(argc, argv, "--channels", &channels, 130);
  corpus::parseSize(argc, argv, "--steps", &steps, 25);
  size_t total = (size_t)channels * steps;
  float *samples, *smooth, *tau;
  CUDA_CHECK(cudaMalloc(&samples, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&smooth, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&tau, channels * sizeof(float)));
  corpus::fill(samples, total, -1.0, 1.0, 5);
  corpus::fill(tau, channels, 0.5, 20.0, 6);
  for (int i = 0; i < 3; i++)
    smoothChannels<<<(channels + 127) / 128, 128>>>(samples, smooth, tau,
                                                    channels, steps, 1.0f);
  corpus::printChecksum("smooth", smooth, total);
  cudaFree(samples);
  cudaFree(smooth);
  cudaFree(tau);
}
