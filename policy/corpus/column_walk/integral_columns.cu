// The vertical pass of an integral image, in place, 64-bit sums of 32-bit ones.
#include "../corpus.h"

typedef unsigned long long u64;

__global__ void integralColumns(const unsigned int *rowSums, u64 *integral,
                                int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width)
    return;
  integral[x] = rowSums[x];
  for (int y = 1; y < height; y++)
    integral[y * width + x] =
        integral[(y - 1) * width + x] + rowSums[y * width + x];
}

int main(int argc, char **argv) {
  int width = 4096, height = 1024;
  corpus::parseSize(argc, argv, "--n", &width, 71);
  corpus::parseSize(argc, argv, "--height", &height, 38);
  size_t pixels = (size_t)width * height;
  unsigned int *rowSums;
  u64 *integral;
  CUDA_CHECK(cudaMalloc(&rowSums, pixels * sizeof(unsigned int)));
  CUDA_CHECK(cudaMalloc(&integral, pixels * sizeof(u64)));
  corpus::fill(rowSums, pixels, 0, 1000000, 4);
  for (int i = 0; i < 4; i++)
    integralColumns<<<(width + 127) / 128, 128>>>(rowSums, integral, width,
                                                  height);
  corpus::printChecksum("integral", integral, pixels);
  CUDA_CHECK(cudaFree(rowSums));
  CUDA_CHECK(cudaFree(integral));
  return 0;
}
