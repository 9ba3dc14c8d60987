// A finite filter of 129 taps over a long signal, zeros outside.
#include "../corpus.h"

#define TAPS 129

__global__ void fir(const float *signal, const float *taps, float *filtered,
                    int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float y = 0.0f;
    for (int t = 0; t < TAPS; t++) {
      int j = i - TAPS / 2 + t;
      if (j >= 0 && j < n)
        y += taps[t] * signal[j];
    }
    filtered[i] = y;
  }
}

int main(int argc, char **argv) {
  int n = 2000000;
  corpus::parseSize(argc, argv, "--n", &n, 700);
  float taps[TAPS];
  for (int t = 0; t < TAPS; t++)
    taps[t] = 0.54f - 0.46f * cosf(6.2831853f * t / (TAPS - 1));
  float *d_signal, *d_taps, *d_filtered;
  CUDA_CHECK(cudaMalloc(&d_signal, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_filtered, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_taps, TAPS * sizeof(float)));
  CUDA_CHECK(
      cudaMemcpy(d_taps, taps, TAPS * sizeof(float), cudaMemcpyHostToDevice));
  corpus::fill(d_signal, n, 0.0, 1.0, 1);
  for (int i = 0; i < 4; i++)
    fir<<<(n + 255) / 256, 256>>>(d_signal, d_taps, d_filtered, n);
  corpus::printChecksum("filtered", d_filtered, n);
  cudaFree(d_signal);
  cudaFree(d_taps);
  cudaFree(d_filtered);
  return 0;
}
