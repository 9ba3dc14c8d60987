// Backward step of 2 x 2 average pooling with a ragged edge: each input pixel
// divides its window's gradient by the number of pixels in that window.
#include "../corpus.h"

__global__ void poolBackward(const float *gradOut, float *gradIn, int planes,
                             int H, int W) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  int h = blockIdx.y * blockDim.y + threadIdx.y;
  int plane = blockIdx.z;
  int outW = (W + 1) / 2, outH = (H + 1) / 2;
  if (w >= W || h >= H)
    return;
  int count = 0;
  for (int y = h / 2 * 2; y < h / 2 * 2 + 2; y++)
    for (int x = w / 2 * 2; x < w / 2 * 2 + 2; x++)
      if (y < H && x < W)
        count++;
  gradIn[(plane * H + h) * W + w] =
      gradOut[(plane * outH + h / 2) * outW + w / 2] / count;
}

int main(int argc, char **argv) {
  int planes = 256, H = 113, W = 115;
  corpus::parseSize(argc, argv, "--planes", &planes, 3);
  corpus::parseSize(argc, argv, "--height", &H, 19);
  corpus::parseSize(argc, argv, "--width", &W, 23);
  int outH = (H + 1) / 2, outW = (W + 1) / 2;
  size_t in = (size_t)planes * H * W, out = (size_t)planes * outH * outW;
  float *gradOut, *gradIn;
  CUDA_CHECK(cudaMalloc(&gradOut, out * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&gradIn, in * sizeof(float)));
  corpus::fill(gradOut, out, -1.0, 1.0, 12);
  dim3 block(16, 16), grid((W + 15) / 16, (H + 15) / 16, planes);
  for (int i = 0; i < 4; i++)
    poolBackward<<<grid, block>>>(gradOut, gradIn, planes, H, W);
  corpus::printChecksum("gradient", gradIn, in);
  cudaFree(gradOut);
  cudaFree(gradIn);
}
