// GELU by its tanh form, in a grid-stride loop, the cube by pow.
#include "../corpus.h"

#define SQRT_2_OVER_PI 0.7978845608028654

__global__ void geluForward(const float *__restrict__ in,
                            float *__restrict__ out, size_t count) {
  for (size_t idx = blockIdx.x * (size_t)blockDim.x + threadIdx.x; idx < count;
       idx += (size_t)gridDim.x * blockDim.x) {
    float v = in[idx];
    float inner = SQRT_2_OVER_PI * (v + 0.044715 * pow(v, 3));
    out[idx] = 0.5 * v * (1.0 + tanh(inner));
  }
}

int main(int argc, char **argv) {
  int count = 3000000;
  corpus::parseSize(argc, argv, "--n", &count, 5000);

  float *dIn = nullptr, *dOut = nullptr;
  const size_t bytes = count * sizeof(float);
  CUDA_CHECK(cudaMalloc(&dIn, bytes));
  CUDA_CHECK(cudaMalloc(&dOut, bytes));
  corpus::fill(dIn, count, -4.0, 4.0, 7);

  for (int step = 0; step < 5; ++step) {
    geluForward<<<264, 512>>>(dIn, dOut, count);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("gelu", dOut, count);

  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dOut));
}
