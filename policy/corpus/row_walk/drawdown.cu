// Running value, running maximum and the largest fall of each price path; the
// running value is written for every step.
#include "../corpus.h"

__global__ void drawdown(float *returns, float *value, float *worst, int paths,
                         int steps) {
  int p = threadIdx.x + blockIdx.x * blockDim.x;
  if (p < paths) {
    value[p * steps] = 100.0f * (1 + returns[p * steps]);
    float peak = value[p * steps];
    worst[p] = 0;
    for (int t = 1; t < steps; t++) {
      value[p * steps + t] =
          value[p * steps + t - 1] * (1 + returns[p * steps + t]);
      if (value[p * steps + t] > peak)
        peak = value[p * steps + t];
      if ((peak - value[p * steps + t]) / peak > worst[p])
        worst[p] = (peak - value[p * steps + t]) / peak;
    }
  }
}

int main(int argc, char **argv) {
  int paths = 32768, steps = 252;
  corpus::parseSize(argc, argv, "--n", &paths, 70);
  corpus::parseSize(argc, argv, "--steps", &steps, 30);
  size_t bytes = sizeof(float) * paths * steps;
  float *returns, *value, *worst;
  CUDA_CHECK(cudaMalloc((void **)&returns, bytes));
  CUDA_CHECK(cudaMalloc((void **)&value, bytes));
  CUDA_CHECK(cudaMalloc((void **)&worst, paths * sizeof(float)));
  corpus::fill(returns, (size_t)paths * steps, -0.02, 0.021, 29);

  for (int i = 0; i < 3; i++)
    drawdown<<<(paths + 63) / 64, 64>>>(returns, value, worst, paths, steps);
  CUDA_CHECK(cudaDeviceSynchronize());
  corpus::printChecksum("value", value, (size_t)paths * steps);
  corpus::printChecksum("worst", worst, paths);
  cudaFree(returns), cudaFree(value), cudaFree(worst);
  return 0;
}
