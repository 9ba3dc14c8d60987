// Bilinear resize of interleaved three-channel floats, channel in the grid's z.
#include "../corpus.h"

__global__ void resize(const float *src, int sw, int sh, float *dst, int dw,
                       int dh, int channels) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int c = blockIdx.z;
  if (x >= dw || y >= dh)
    return;
  float fx = (x + 0.5f) * sw / dw - 0.5f;
  float fy = (y + 0.5f) * sh / dh - 0.5f;
  int x0 = max((int)floorf(fx), 0), y0 = max((int)floorf(fy), 0);
  int x1 = min(x0 + 1, sw - 1), y1 = min(y0 + 1, sh - 1);
  float ax = fmaxf(fx - x0, 0.0f), ay = fmaxf(fy - y0, 0.0f);
  dst[(y * dw + x) * channels + c] =
      (1 - ay) * ((1 - ax) * src[(y0 * sw + x0) * channels + c] +
                  ax * src[(y0 * sw + x1) * channels + c]) +
      ay * ((1 - ax) * src[(y1 * sw + x0) * channels + c] +
            ax * src[(y1 * sw + x1) * channels + c]);
}

int main(int argc, char **argv) {
  int sw = 1300, sh = 900;
  corpus::parseSize(argc, argv, "--width", &sw, 29);
  corpus::parseSize(argc, argv, "--height", &sh, 23);
  int dw = sw * 3 / 2, dh = sh * 3 / 2;
  size_t in = (size_t)sw * sh * 3, out = (size_t)dw * dh * 3;
  float *src, *dst;
  CUDA_CHECK(cudaMalloc(&src, in * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dst, out * sizeof(float)));
  corpus::fill(src, in, 0.0, 255.0, 5);
  dim3 block(32, 8), grid((dw + 31) / 32, (dh + 7) / 8, 3);
  for (int i = 0; i < 4; i++)
    resize<<<grid, block>>>(src, sw, sh, dst, dw, dh, 3);
  corpus::printChecksum("resized", dst, out);
  cudaFree(src);
  cudaFree(dst);
}
