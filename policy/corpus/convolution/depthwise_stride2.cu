// 5 x 5 filter for each channel in steps of two, from one index over all
// outputs.
#include "../corpus.h"

__global__ void depthwise(const float *x, const float *filters, float *y,
                          int channels, int inH, int inW, int outH, int outW) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < channels * outH * outW) {
    const int ow = index % outW;
    const int oh = (index / outW) % outH;
    const int c = index / outW / outH;
    float value = 0;
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 5; ++j) {
        const int ih = oh * 2 + i - 2;
        const int iw = ow * 2 + j - 2;
        if (ih >= 0 && ih < inH && iw >= 0 && iw < inW)
          value += x[(c * inH + ih) * inW + iw] * filters[(c * 5 + i) * 5 + j];
      }
    }
    y[index] = fminf(fmaxf(value, 0.0f), 6.0f);
  }
}

int main(int argc, char **argv) {
  int channels = 128, inH = 150, inW = 200;
  corpus::parseSize(argc, argv, "--channels", &channels, 3);
  corpus::parseSize(argc, argv, "--height", &inH, 15);
  corpus::parseSize(argc, argv, "--n", &inW, 22);
  int outH = (inH + 1) / 2, outW = (inW + 1) / 2;
  size_t in = (size_t)channels * inH * inW;
  int out = channels * outH * outW;
  float *x, *filters, *y;
  CUDA_CHECK(cudaMalloc(&x, in * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&filters, channels * 25 * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, out * sizeof(float)));
  corpus::fill(x, in, -1.0, 1.0, 1);
  corpus::fill(filters, channels * 25, -1.0, 1.0, 2);
  for (int i = 0; i < 4; i++)
    depthwise<<<(out + 127) / 128, 128>>>(x, filters, y, channels, inH, inW,
                                          outH, outW);
  corpus::printChecksum("y", y, out);
  cudaFree(x);
  cudaFree(filters);
  cudaFree(y);
  return 0;
}
