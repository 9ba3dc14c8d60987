// Planar RGB bytes to grey by floating weights, and the negative of it.
#include "../corpus.h"

typedef unsigned char byte;

__global__ void luma(byte *r, byte *g, byte *b, byte *gray, byte *negative,
                     size_t pixels) {
  size_t p = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (p < pixels) {
    gray[p] = (byte)(0.299 * r[p] + 0.587 * g[p] + 0.114 * b[p]);
    negative[p] = 255 - gray[p];
  }
}

int main(int argc, char **argv) {
  int width = 4000, height = 3000;
  corpus::parseSize(argc, argv, "--width", &width, 81);
  corpus::parseSize(argc, argv, "--height", &height, 47);
  size_t pixels = (size_t)width * height;
  byte *plane[5];
  for (int k = 0; k < 5; k++)
    CUDA_CHECK(cudaMalloc(&plane[k], pixels));
  for (int k = 0; k < 3; k++)
    corpus::fill(plane[k], pixels, 0, 256, 50 + k);
  for (int i = 0; i < 4; i++)
    luma<<<(pixels + 255) / 256, 256>>>(plane[0], plane[1], plane[2], plane[3],
                                        plane[4], pixels);
  corpus::printChecksum("gray", plane[3], pixels);
  corpus::printChecksum("negative", plane[4], pixels);
  for (int k = 0; k < 5; k++)
    cudaFree(plane[k]);
}
