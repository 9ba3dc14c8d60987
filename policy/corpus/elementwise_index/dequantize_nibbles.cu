// Four-bit weights, two a byte, to float, with a scale and a zero point for
// each group of 32.
#include "../corpus.h"

#define GROUP 32

__global__ void dequantize(unsigned char *packed, float *scale, float *zero,
                           float *weight, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned char byte = packed[i / 2];
    int nibble = (i % 2 == 0) ? (byte & 0xf) : (byte >> 4);
    weight[i] = ((float)nibble - zero[i / GROUP]) * scale[i / GROUP];
  }
}

int main(int argc, char **argv) {
  int n = 12000001;
  corpus::parseSize(argc, argv, "--n", &n, 3333);
  int groups = (n + GROUP - 1) / GROUP;

  unsigned char *packed;
  float *scale, *zero, *weight;
  CUDA_CHECK(cudaMalloc(&packed, (n + 1) / 2));
  CUDA_CHECK(cudaMalloc(&scale, groups * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&zero, groups * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&weight, n * sizeof(float)));
  corpus::fill(packed, (n + 1) / 2, 0, 256);
  corpus::fill(scale, groups, 0.001, 0.1, 2);
  corpus::fill(zero, groups, 6.0, 9.0, 3);

  int threads = 256, blocks = (n + threads - 1) / threads;
  for (int i = 0; i < 5; i++)
    dequantize<<<blocks, threads>>>(packed, scale, zero, weight, n);
  CUDA_CHECK(cudaDeviceSynchronize());
  corpus::printChecksum("weight", weight, n);

  cudaFree(packed);
  cudaFree(scale);
  cudaFree(zero);
  cudaFree(weight);
  return 0;
}
