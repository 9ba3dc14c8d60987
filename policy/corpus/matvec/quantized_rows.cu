// Bytes with a scale and an offset for each row, dequantised in the loop.
#include "../corpus.h"

__global__ void quantizedMatvec(unsigned char *weights, float *scale,
                                float *offset, float *input, float *output,
                                int outputs, int inputs) {
  int o = blockIdx.x * blockDim.x + threadIdx.x;
  if (o < outputs) {
    output[o] = 0.0f;
    for (int i = 0; i < inputs; i++) {
      float w = weights[o * inputs + i] * scale[o] + offset[o];
      output[o] += w * input[i];
    }
    output[o] = output[o] > 0.0f ? output[o] : 0.01 * output[o];
  }
}

int main(int argc, char **argv) {
  int outputs = 11000, inputs = 2048;
  corpus::parseSize(argc, argv, "--n", &outputs, 55);
  corpus::parseSize(argc, argv, "--inputs", &inputs, 80);
  unsigned char *weights;
  float *scale, *offset, *input, *output;
  CUDA_CHECK(cudaMalloc(&weights, (size_t)outputs * inputs));
  CUDA_CHECK(cudaMalloc(&scale, outputs * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&offset, outputs * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&input, inputs * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&output, outputs * sizeof(float)));
  corpus::fill(weights, (size_t)outputs * inputs, 0, 256, 1);
  corpus::fill(scale, outputs, 0.01, 0.02, 2);
  corpus::fill(offset, outputs, -1.2, -1.0, 3);
  corpus::fill(input, inputs, 0.0, 1.0, 4);
  int threads = 128;
  for (int token = 0; token < 3; token++)
    quantizedMatvec<<<(outputs + threads - 1) / threads, threads>>>(
        weights, scale, offset, input, output, outputs, inputs);
  corpus::printChecksum("output", output, outputs);
  CUDA_CHECK(cudaFree(weights));
  for (float *buffer : {scale, offset, input, output})
    CUDA_CHECK(cudaFree(buffer));
  return 0;
}
