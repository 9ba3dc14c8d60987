// Activations from NCHW to NHWC; the place is taken apart from one index.
#include "../corpus.h"

__global__ void toChannelsLast(float *src, float *dst, int N, int C, int H,
                               int W) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx >= N * C * H * W)
    return;
  int w = idx % W;
  int h = (idx / W) % H;
  int c = (idx / (W * H)) % C;
  int n = idx / (W * H * C);
  dst[((n * H + h) * W + w) * C + c] = src[idx];
}

int main(int argc, char **argv) {
  int N = 16, C = 64, H = 96, W = 100;
  corpus::parseSize(argc, argv, "--batch", &N, 2);
  corpus::parseSize(argc, argv, "--channels", &C, 5);
  corpus::parseSize(argc, argv, "--height", &H, 9);
  corpus::parseSize(argc, argv, "--width", &W, 11);
  int total = N * C * H * W;
  float *src, *dst;
  CUDA_CHECK(cudaMalloc(&src, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dst, total * sizeof(float)));
  corpus::fill(src, total, 0.0, 1.0, 9);
  for (int run = 0; run < 4; run++)
    toChannelsLast<<<(total + 255) / 256, 256>>>(src, dst, N, C, H, W);
  corpus::printChecksum("nhwc", dst, total);
  cudaFree(src);
  cudaFree(dst);
}
