// A bank of filters over one signal: for each filter its few coefficients are
// uploaded, the host waits for the kernel, and the whole output comes back.
#include "../corpus.h"

__global__ void filterSignal(const float *signal, const float *taps, int count,
                             float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0.0f;
  for (int k = 0; k < count; k++)
    sum += taps[k] * signal[(i + k) % n];
  out[i] = sum;
}

int main(int argc, char **argv) {
  int n = 200000, filters = 24;
  corpus::parseSize(argc, argv, "--n", &n, 400);
  corpus::parseSize(argc, argv, "--filters", &filters, 4);
  const int count = 21;
  float *signal, *taps, *out;
  CUDA_CHECK(cudaMalloc(&signal, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&taps, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(float)));
  corpus::fill(signal, n, -1.0, 1.0, 6);
  std::vector<float> result(n);
  double power = 0;
  for (int f = 0; f < filters; f++) {
    float window[count];
    for (int k = 0; k < count; k++)
      window[k] = std::cos(0.1f * f * k) / count;
    CUDA_CHECK(
        cudaMemcpy(taps, window, sizeof(window), cudaMemcpyHostToDevice));
    filterSignal<<<(n + 255) / 256, 256>>>(signal, taps, count, out, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(result.data(), out, n * sizeof(float),
                          cudaMemcpyDeviceToHost));
    double here = 0;
    for (float r : result)
      here += r * r;
    power += here / n * (f + 1);
  }
  printf("power: %.5e\n", power);
  cudaFree(signal);
  cudaFree(taps);
  cudaFree(out);
}
