// Morphological opening of a height map: minimum over a cross, then maximum
// over the same cross; outside counts as nothing.
#include "../corpus.h"

#define ARM 5
#define AT(img, y, x) img[(y) * width + (x)]

__global__ void erode(short *in, short *out, int width, int height) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  if (x < width && y < height) {
    AT(out, y, x) = AT(in, y, x);
    for (int k = -ARM; k <= ARM; k++) {
      if (x + k >= 0 && x + k < width && AT(in, y, x + k) < AT(out, y, x))
        AT(out, y, x) = AT(in, y, x + k);
      if (y + k >= 0 && y + k < height && AT(in, y + k, x) < AT(out, y, x))
        AT(out, y, x) = AT(in, y + k, x);
    }
  }
}

__global__ void dilate(short *in, short *out, int width, int height) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height)
    return;
  short best = AT(in, y, x);
  for (int k = -ARM; k <= ARM; k++) {
    if (x + k >= 0 && x + k < width)
      best = max(best, AT(in, y, x + k));
    if (y + k >= 0 && y + k < height)
      best = max(best, AT(in, y + k, x));
  }
  AT(out, y, x) = best;
}

int main(int argc, char **argv) {
  int width = 3000;
  corpus::parseSize(argc, argv, "--width", &width, 70);
  int height = width / 2 + 1;
  size_t bytes = sizeof(short) * width * height;
  short *a, *b;
  CUDA_CHECK(cudaMalloc(&a, bytes));
  CUDA_CHECK(cudaMalloc(&b, bytes));
  corpus::fill(a, (size_t)width * height, 0, 9000, 19);
  dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
  erode<<<grid, block>>>(a, b, width, height);
  dilate<<<grid, block>>>(b, a, width, height);
  erode<<<grid, block>>>(a, b, width, height);
  dilate<<<grid, block>>>(b, a, width, height);
  corpus::printChecksum("opened", a, (size_t)width * height);
  cudaFree(a);
  cudaFree(b);
}
