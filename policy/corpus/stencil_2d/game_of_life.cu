// Conway's game of life on a torus of bytes, one cell a thread.
#include "../corpus.h"

__global__ void generation(unsigned char *now, unsigned char *next, int w,
                           int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  int neighbours = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx != 0 || dy != 0)
        neighbours += now[((y + dy + h) % h) * w + (x + dx + w) % w];
  if (now[y * w + x] == 1 && (neighbours == 2 || neighbours == 3))
    next[y * w + x] = 1;
  else if (now[y * w + x] == 0 && neighbours == 3)
    next[y * w + x] = 1;
  else
    next[y * w + x] = 0;
}

int main(int argc, char **argv) {
  int w = 4096;
  corpus::parseSize(argc, argv, "--width", &w, 67);
  int h = w;
  unsigned char *now, *next;
  CUDA_CHECK(cudaMalloc(&now, w * h));
  CUDA_CHECK(cudaMalloc(&next, w * h));
  corpus::fill(now, w * h, 0, 2, 77);
  dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
  for (int g = 0; g < 4; g++) {
    generation<<<grid, block>>>(now, next, w, h);
    unsigned char *t = now;
    now = next;
    next = t;
  }
  corpus::printChecksum("alive", now, w * h);
  cudaFree(now);
  cudaFree(next);
}
