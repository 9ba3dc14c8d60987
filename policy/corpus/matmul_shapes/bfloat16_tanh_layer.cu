// A dense layer on bfloat16 with sums in float, then tanh; weights lie by
// output.
#include "../corpus.h"

#include <cuda_bf16.h>

typedef __nv_bfloat16 bf16;

__global__ void denseTanh(const bf16 *input, const bf16 *weight,
                          const float *bias, bf16 *output, int batch,
                          int inputs, int outputs) {
  int o = blockIdx.x * blockDim.x + threadIdx.x;
  int b = blockIdx.y * blockDim.y + threadIdx.y;
  if (o < outputs && b < batch) {
    float sum = bias[o];
    for (int i = 0; i < inputs; i++)
      sum += __bfloat162float(input[b * inputs + i]) *
             __bfloat162float(weight[o * inputs + i]);
    output[b * outputs + o] = __float2bfloat16(tanhf(sum));
  }
}

int main(int argc, char **argv) {
  int batch = 512, inputs = 800, outputs = 1200;
  corpus::parseSize(argc, argv, "--batch", &batch, 20);
  corpus::parseSize(argc, argv, "--inputs", &inputs, 33);
  corpus::parseSize(argc, argv, "--n", &outputs, 37);
  bf16 *input, *weight, *output;
  float *bias;
  CUDA_CHECK(cudaMalloc(&input, (size_t)batch * inputs * sizeof(bf16)));
  CUDA_CHECK(cudaMalloc(&weight, (size_t)outputs * inputs * sizeof(bf16)));
  CUDA_CHECK(cudaMalloc(&output, (size_t)batch * outputs * sizeof(bf16)));
  CUDA_CHECK(cudaMalloc(&bias, outputs * sizeof(float)));
  corpus::fill(input, (size_t)batch * inputs, -1.0, 1.0, 1);
  corpus::fill(weight, (size_t)outputs * inputs, -0.1, 0.1, 2);
  corpus::fill(bias, outputs, -0.5, 0.5, 3);
  dim3 block(32, 8), grid((outputs + 31) / 32, (batch + 7) / 8);
  for (int i = 0; i < 3; i++)
    denseTanh<<<grid, block>>>(input, weight, bias, output, batch, inputs,
                               outputs);
  corpus::printChecksum("output", output, (size_t)batch * outputs);
  cudaFree(input);
  cudaFree(weight);
  cudaFree(output);
  cudaFree(bias);
  return 0;
}
