// 1 x 1 convolution: every place mixes its channels, with bias and rectifier.
#include "../corpus.h"

__global__ void pointwise(float *in, float *mix, float *bias, float *out,
                          int inChannels, int outChannels, int places) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  int o = blockIdx.y;
  if (p < places) {
    float sum = bias[o];
    for (int c = 0; c < inChannels; c++)
      sum += mix[o * inChannels + c] * in[c * places + p];
    if (sum < 0)
      sum = 0;
    out[o * places + p] = sum;
  }
}

int main(int argc, char **argv) {
  int inChannels = 96, outChannels = 48, places = 14400;
  corpus::parseSize(argc, argv, "--in", &inChannels, 9);
  corpus::parseSize(argc, argv, "--out", &outChannels, 6);
  corpus::parseSize(argc, argv, "--n", &places, 300);
  float *in, *mix, *bias, *out;
  CUDA_CHECK(cudaMalloc(&in, sizeof(float) * inChannels * places));
  CUDA_CHECK(cudaMalloc(&mix, sizeof(float) * outChannels * inChannels));
  CUDA_CHECK(cudaMalloc(&bias, sizeof(float) * outChannels));
  CUDA_CHECK(cudaMalloc(&out, sizeof(float) * outChannels * places));
  corpus::fill(in, (size_t)inChannels * places, -1.0, 1.0, 1);
  corpus::fill(mix, (size_t)outChannels * inChannels, -1.0, 1.0, 2);
  corpus::fill(bias, outChannels, 0.0, 1.0, 3);
  dim3 grid((places + 255) / 256, outChannels);
  for (int i = 0; i < 5; i++)
    pointwise<<<grid, 256>>>(in, mix, bias, out, inChannels, outChannels,
                             places);
  corpus::printChecksum("out", out, (size_t)outChannels * places);
  cudaFree(in);
  cudaFree(mix);
  cudaFree(bias);
  cudaFree(out);
  return 0;
}
