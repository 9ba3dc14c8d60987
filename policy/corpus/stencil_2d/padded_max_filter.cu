// Maximum over 7 x 7 of an image that has a border of three cells around it.
#include "../corpus.h"

#define BORDER 3

__global__ void maxFilter(const int *padded, int *out, int width, int height) {
  int tx = blockIdx.x * blockDim.x + threadIdx.x;
  int ty = blockIdx.y * blockDim.y + threadIdx.y;
  int pitch = width + 2 * BORDER;
  if (ty < height) {
    if (tx < width) {
      int best = -2147483647;
      for (int a = 0; a < 2 * BORDER + 1; a++)
        for (int b = 0; b < 2 * BORDER + 1; b++)
          best = max(best, padded[(ty + a) * pitch + (tx + b)]);
      out[ty * width + tx] = best;
    }
  }
}

int main(int argc, char **argv) {
  int width = 2000, height = 1600;
  corpus::parseSize(argc, argv, "--width", &width, 45);
  corpus::parseSize(argc, argv, "--height", &height, 19);
  size_t in = (size_t)(width + 2 * BORDER) * (height + 2 * BORDER);
  size_t out = (size_t)width * height;
  int *padded, *result;
  CUDA_CHECK(cudaMalloc(&padded, in * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&result, out * sizeof(int)));
  corpus::fill(padded, in, -100000, 100000, 46);
  dim3 grid((width + 31) / 32, (height + 3) / 4);
  for (int i = 0; i < 4; i++)
    maxFilter<<<grid, dim3(32, 4)>>>(padded, result, width, height);
  corpus::printChecksum("maximum", result, out);
  cudaFree(padded);
  cudaFree(result);
}
