// Copies bytes one at a time, with an offset into both buffers.
#include "../corpus.h"

__global__ void copyBytes(char *dst, const char *src, size_t dstOffset,
                          size_t srcOffset, size_t length) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length)
    dst[dstOffset + i] = src[srcOffset + i];
}

int main(int argc, char **argv) {
  int length = 30000000;
  corpus::parseSize(argc, argv, "--n", &length, 6000);
  const size_t room = (size_t)length + 64;
  char *src, *dst;
  CUDA_CHECK(cudaMalloc(&src, room));
  CUDA_CHECK(cudaMalloc(&dst, room));
  corpus::fill(src, room, -128, 128, 1);
  CUDA_CHECK(cudaMemset(dst, 0, room));
  for (int i = 0; i < 4; i++)
    copyBytes<<<(length + 511) / 512, 512>>>(dst, src, 16, 3 * i, length);
  corpus::printChecksum("dst", dst, room);
  CUDA_CHECK(cudaFree(src));
  CUDA_CHECK(cudaFree(dst));
}
