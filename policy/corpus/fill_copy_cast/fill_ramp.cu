// Fills an array with an arithmetic progression and another with a constant.
#include "../corpus.h"

__global__ void fillRamp(float *ramp, float *constant, float start, float step,
                         float value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    ramp[i] = start + i * step;
    constant[i] = value;
  }
}

int main(int argc, char **argv) {
  int n = 12 << 20;
  corpus::parseSize(argc, argv, "--n", &n, 4001);
  float *ramp, *constant;
  CUDA_CHECK(cudaMalloc(&ramp, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&constant, n * sizeof(float)));
  for (int i = 0; i < 5; i++)
    fillRamp<<<(n + 255) / 256, 256>>>(ramp, constant, 1.5f, 0.25f, 3.0f, n);
  corpus::printChecksum("ramp", ramp, n);
  corpus::printChecksum("constant", constant, n);
  cudaFree(ramp);
  cudaFree(constant);
  return 0;
}
