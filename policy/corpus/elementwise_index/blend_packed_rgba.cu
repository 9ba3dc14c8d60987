// Blends two images of packed RGBA words: bytes by shifts and masks, a division
// by 255 for each of them.
#include "../corpus.h"

#include <cstdint>

__device__ uint32_t channel(uint32_t pixel, int c) {
  return (pixel >> (8 * c)) & 0xff;
}

__global__ void blend(uint32_t *front, uint32_t *back, uint32_t *out,
                      int pixels) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pixels)
    return;
  uint32_t alpha = channel(front[p], 3);
  uint32_t mixed = 0;
  for (int c = 0; c < 3; c++) {
    uint32_t v =
        channel(front[p], c) * alpha + channel(back[p], c) * (255 - alpha);
    mixed |= (v / 255) << (8 * c);
  }
  out[p] = mixed | 0xff000000u;
}

int main(int argc, char **argv) {
  int pixels = 3840 * 2160;
  corpus::parseSize(argc, argv, "--n", &pixels, 4001);

  uint32_t *front, *back, *out;
  CUDA_CHECK(cudaMalloc(&front, pixels * 4));
  CUDA_CHECK(cudaMalloc(&back, pixels * 4));
  CUDA_CHECK(cudaMalloc(&out, pixels * 4));
  corpus::fill(front, pixels, 0.0, 4294967296.0, 41);
  corpus::fill(back, pixels, 0.0, 4294967296.0, 42);

  for (int frame = 0; frame < 3; frame++)
    blend<<<(pixels + 127) / 128, 128>>>(front, back, out, pixels);
  corpus::printChecksum("blended", out, pixels);
  cudaFree(front);
  cudaFree(back);
  cudaFree(out);
  return 0;
}
