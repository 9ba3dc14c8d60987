// Group normalisation, channels last: one thread per sample and group makes
// mean, spread and output in three walks.
#include "../corpus.h"

__global__ void groupNorm(float *x, float *y, float *weight, int samples,
                          int pixels, int groups, int perGroup) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= samples * groups)
    return;
  int n = id / groups, g = id % groups;
  int C = groups * perGroup;
  float mean = 0, var = 0;
  for (int p = 0; p < pixels; p++)
    for (int c = 0; c < perGroup; c++)
      mean += x[(n * pixels + p) * C + g * perGroup + c] / (pixels * perGroup);
  for (int p = 0; p < pixels; p++)
    for (int c = 0; c < perGroup; c++)
      var += powf(x[(n * pixels + p) * C + g * perGroup + c] - mean, 2) /
             (pixels * perGroup);
  for (int p = 0; p < pixels; p++)
    for (int c = 0; c < perGroup; c++)
      y[(n * pixels + p) * C + g * perGroup + c] =
          weight[g * perGroup + c] *
          (x[(n * pixels + p) * C + g * perGroup + c] - mean) /
          sqrtf(var + 1e-5f);
}

int main(int argc, char **argv) {
  int samples = 256, pixels = 64, groups = 32, perGroup = 8;
  corpus::parseSize(argc, argv, "--samples", &samples, 5);
  corpus::parseSize(argc, argv, "--pixels", &pixels, 9);
  corpus::parseSize(argc, argv, "--groups", &groups, 6);
  corpus::parseSize(argc, argv, "--per-group", &perGroup, 3);
  int C = groups * perGroup;
  size_t total = (size_t)samples * pixels * C;
  float *x, *y, *weight;
  CUDA_CHECK(cudaMalloc(&x, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&weight, C * sizeof(float)));
  corpus::fill(x, total, -1.0, 2.0, 3);
  corpus::fill(weight, C, 0.5, 1.5, 4);
  for (int i = 0; i < 3; i++)
    groupNorm<<<(samples * groups + 63) / 64, 64>>>(x, y, weight, samples,
                                                    pixels, groups, perGroup);
  corpus::printChecksum("y", y, total);
  cudaFree(x);
  cudaFree(y);
  cudaFree(weight);
}
