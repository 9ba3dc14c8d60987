// Four raw moments of each series, accumulated in global memory.
#include "../corpus.h"

__global__ void moments(float *series, float *moment, int count, int length) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s < count) {
    for (int p = 0; p < 4; p++)
      moment[p * count + s] = 0.0f;
    for (int t = 0; t < length; t++) {
      moment[s] += series[t * count + s];
      moment[count + s] += pow(series[t * count + s], 2);
      moment[2 * count + s] += pow(series[t * count + s], 3);
      moment[3 * count + s] += pow(series[t * count + s], 4);
    }
  }
}

int main(int argc, char **argv) {
  int count = 20000, length = 300;
  corpus::parseSize(argc, argv, "--n", &count, 80);
  corpus::parseSize(argc, argv, "--length", &length, 25);
  float *series, *moment;
  CUDA_CHECK(cudaMalloc(&series, (size_t)count * length * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&moment, (size_t)count * 4 * sizeof(float)));
  corpus::fill(series, (size_t)count * length, 0.0, 2.0, 5);
  for (int i = 0; i < 3; i++)
    moments<<<(count + 127) / 128, 128>>>(series, moment, count, length);
  corpus::printChecksum("moment", moment, (size_t)count * 4);
  cudaFree(series);
  cudaFree(moment);
  return 0;
}
