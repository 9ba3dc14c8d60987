// A step of gradient descent with momentum: weights in bfloat16, momentum and
// master weights in float, updated in place.
#include "../corpus.h"

#include <cuda_bf16.h>

__global__ void sgdStep(__nv_bfloat16 *weight, float *master, float *momentum,
                        const __nv_bfloat16 *gradient, float rate, float beta,
                        float decay, size_t count) {
  size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (k < count) {
    float g = (float)gradient[k] + decay * master[k];
    momentum[k] = beta * momentum[k] + (1.0 - beta) * g;
    master[k] -= rate * momentum[k];
    weight[k] = __float2bfloat16(master[k]);
  }
}

int main(int argc, char **argv) {
  int count = 6000000;
  corpus::parseSize(argc, argv, "--n", &count, 3000);
  __nv_bfloat16 *weight, *gradient;
  float *master, *momentum;
  CUDA_CHECK(cudaMalloc(&weight, count * sizeof *weight));
  CUDA_CHECK(cudaMalloc(&gradient, count * sizeof *gradient));
  CUDA_CHECK(cudaMalloc(&master, count * sizeof *master));
  CUDA_CHECK(cudaMalloc(&momentum, count * sizeof *momentum));
  corpus::fill(gradient, count, -0.1, 0.1, 1);
  corpus::fill(master, count, -1.0, 1.0, 2);
  CUDA_CHECK(cudaMemset(momentum, 0, count * sizeof *momentum));
  for (int step = 0; step < 5; step++) {
    sgdStep<<<(count + 511) / 512, 512>>>(weight, master, momentum, gradient,
                                          0.01f, 0.9f, 1e-4f, count);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("weight", weight, count);
  corpus::printChecksum("momentum", momentum, count);
  CUDA_CHECK(cudaFree(weight));
  CUDA_CHECK(cudaFree(gradient));
  CUDA_CHECK(cudaFree(master));
  CUDA_CHECK(cudaFree(momentum));
}
