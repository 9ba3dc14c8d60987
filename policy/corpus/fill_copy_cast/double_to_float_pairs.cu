// Doubles to a high and a low float, in a grid-stride loop.
#include "../corpus.h"

__global__ void split(const double *in, float *high, float *low, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    float h = (float)in[i];
    high[i] = h;
    low[i] = (float)(in[i] - (double)h);
    i += blockDim.x * gridDim.x;
  }
}

int main(int argc, char **argv) {
  int n = 7500000;
  corpus::parseSize(argc, argv, "--n", &n, 3500);
  double *in;
  float *high, *low;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&high, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&low, n * sizeof(float)));
  corpus::fill(in, n, -1000.0, 1000.0, 2);
  for (int i = 0; i < 3; i++) {
    split<<<1024, 128>>>(in, high, low, n);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("high", high, n);
  corpus::printChecksum("low", low, n);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(high));
  CUDA_CHECK(cudaFree(low));
}
