// Channels first to channels last, the place by division and remainder.
#include "../corpus.h"

__global__ void nchw_to_nhwc(const float *src, float *dst, int N, int C, int H,
                             int W) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  int total = N * C * H * W;
  if (idx >= total)
    return;
  int w = idx % W;
  int h = (idx / W) % H;
  int c = (idx / (W * H)) % C;
  int n = idx / (W * H * C);
  dst[((n * H + h) * W + w) * C + c] = src[idx];
}

int main(int argc, char **argv) {
  int N = 4, C = 48, H = 180, W = 240;
  corpus::parseSizes(argc, argv,
                     {{"--batch", &N, 2},
                      {"--channels", &C, 5},
                      {"--height", &H, 7},
                      {"--n", &W, 11}});
  int total = N * C * H * W;

  float *src, *dst;
  CUDA_CHECK(cudaMalloc(&src, sizeof(float) * total));
  CUDA_CHECK(cudaMalloc(&dst, sizeof(float) * total));
  corpus::fill(src, total, -1.0, 1.0);

  for (int i = 0; i < 4; i++)
    nchw_to_nhwc<<<(total + 255) / 256, 256>>>(src, dst, N, C, H, W);
  corpus::printChecksum("nhwc", dst, total);

  cudaFree(src);
  cudaFree(dst);
  return 0;
}
