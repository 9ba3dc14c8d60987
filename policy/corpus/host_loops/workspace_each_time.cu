// Normalises one signal after another: each time two work buffers of the same
// size are made and freed, and the host waits.
#include "../corpus.h"

__global__ void absolute(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = fabsf(in[i]);
}

__global__ void smooth3(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = (in[max(i - 1, 0)] + in[i] + in[min(i + 1, n - 1)]) / 3.0f;
}

__global__ void divideBy(float *signal, const float *envelope, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    signal[i] = signal[i] / (envelope[i] + 0.001f);
}

int main(int argc, char **argv) {
  int n = 300000, signals = 30;
  corpus::parseSize(argc, argv, "--n", &n, 300);
  corpus::parseSize(argc, argv, "--signals", &signals, 4);
  float *all;
  CUDA_CHECK(cudaMalloc(&all, sizeof(float) * n * signals));
  corpus::fill(all, (size_t)n * signals, -1.0, 1.0, 17);
  int blocks = (n + 255) / 256;
  for (int s = 0; s < signals; s++) {
    float *magnitude, *envelope;
    CUDA_CHECK(cudaMalloc(&magnitude, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&envelope, n * sizeof(float)));
    absolute<<<blocks, 256>>>(all + (size_t)s * n, magnitude, n);
    smooth3<<<blocks, 256>>>(magnitude, envelope, n);
    divideBy<<<blocks, 256>>>(all + (size_t)s * n, envelope, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(magnitude));
    CUDA_CHECK(cudaFree(envelope));
  }
  corpus::printChecksum("signals", all, (size_t)n * signals);
  cudaFree(all);
}
