// h = residual + x * scale[channel] + shift[channel], all half, with operators;
// the channel by a modulo.
#include "../corpus.h"

#include <cuda_fp16.h>

__global__ void scaleShift(const half *x, const half *residual,
                           const half *scale, const half *shift, half *h,
                           int channels, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= total)
    return;
  half v = x[i] * scale[i % channels] + shift[i % channels];
  h[i] = v > half(0.0f) ? residual[i] + v : residual[i];
}

int main(int argc, char **argv) {
  int rows = 20000, channels = 384;
  corpus::parseSize(argc, argv, "--n", &rows, 50);
  corpus::parseSize(argc, argv, "--channels", &channels, 48);
  int total = rows * channels;
  half *x, *residual, *scale, *shift, *h;
  CUDA_CHECK(cudaMalloc(&x, total * sizeof(half)));
  CUDA_CHECK(cudaMalloc(&residual, total * sizeof(half)));
  CUDA_CHECK(cudaMalloc(&h, total * sizeof(half)));
  CUDA_CHECK(cudaMalloc(&scale, channels * sizeof(half)));
  CUDA_CHECK(cudaMalloc(&shift, channels * sizeof(half)));
  corpus::fill(x, total, -1.0, 1.0, 1);
  corpus::fill(residual, total, -1.0, 1.0, 2);
  corpus::fill(scale, channels, 0.5, 2.0, 3);
  corpus::fill(shift, channels, -0.5, 0.5, 4);
  const dim3 block(128);
  const dim3 grid((total + 127) / 128);
  for (int i = 0; i < 4; i++)
    scaleShift<<<grid, block>>>(x, residual, scale, shift, h, channels, total);
  corpus::printChecksum("h", h, total);
  for (half *buffer : {x, residual, scale, shift, h})
    CUDA_CHECK(cudaFree(buffer));
}
