// Lays a picture with alpha over another one, in place, with integers; the
// pixels are packed in 32-bit words, one block a row.
#include "../corpus.h"

__global__ void blendOver(const unsigned *top, unsigned *bottom, int width,
                          int pitch) {
  int row = blockIdx.x;
  for (int x = threadIdx.x; x < width; x += blockDim.x) {
    unsigned t = top[row * pitch + x];
    unsigned alpha = t >> 24;
    unsigned blended = 0xff000000u;
    for (int shift = 0; shift < 24; shift += 8) {
      unsigned a = (t >> shift) & 255;
      unsigned b = (bottom[row * pitch + x] >> shift) & 255;
      blended |= ((a * alpha + b * (255 - alpha)) / 255) << shift;
    }
    bottom[row * pitch + x] = blended;
  }
}

int main(int argc, char **argv) {
  int width = 3000, height = 2000;
  corpus::parseSize(argc, argv, "--width", &width, 70);
  corpus::parseSize(argc, argv, "--height", &height, 40);
  int pitch = (width + 63) / 64 * 64;
  size_t words = (size_t)pitch * height;
  unsigned *top, *bottom;
  CUDA_CHECK(cudaMalloc(&top, words * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&bottom, words * sizeof(unsigned)));
  corpus::fill(top, words, 0, 4294967295.0, 1);
  corpus::fill(bottom, words, 0, 4294967295.0, 2);
  for (int layer = 0; layer < 4; layer++)
    blendOver<<<height, 256>>>(top, bottom, width, pitch);
  corpus::printChecksum("blended", bottom, words);
  cudaFree(top);
  cudaFree(bottom);
}
