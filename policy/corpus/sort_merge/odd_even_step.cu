// A few phases of odd-even transposition sort over a long float array.
#include "../corpus.h"

__global__ void compareExchange(float *keys, int n, int phase) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase;
  if (i + 1 < n) {
    if (keys[i] > keys[i + 1]) {
      float t = keys[i];
      keys[i] = keys[i + 1];
      keys[i + 1] = t;
    }
  }
}

int main(int argc, char **argv) {
  int n = 10000001;
  corpus::parseSize(argc, argv, "--n", &n, 2003);
  float *keys;
  CUDA_CHECK(cudaMalloc(&keys, n * sizeof(float)));
  corpus::fill(keys, n, 0.0, 1.0, 1);
  int blocks = (n + 511) / 512;
  for (int phase = 0; phase < 5; phase++)
    compareExchange<<<blocks, 256>>>(keys, n, phase % 2);
  corpus::printChecksum("keys", keys, n);
  cudaFree(keys);
}
