// Sum of absolute differences of a small pattern at every place of an image.
#include "../corpus.h"

#define PATTERN 12

__global__ void sad(const unsigned char *image, const unsigned char *pattern,
                    unsigned int *score, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x + PATTERN <= width && y + PATTERN <= height) {
    unsigned int s = 0;
    for (int j = 0; j < PATTERN; j++)
      for (int i = 0; i < PATTERN; i++)
        s += abs((int)image[(y + j) * width + x + i] -
                 (int)pattern[j * PATTERN + i]);
    score[y * (width - PATTERN + 1) + x] = s;
  }
}

int main(int argc, char **argv) {
  int width = 1600, height = 1200;
  corpus::parseSize(argc, argv, "--n", &width, 55);
  corpus::parseSize(argc, argv, "--height", &height, 30);
  width = std::max(width, PATTERN);
  height = std::max(height, PATTERN);
  size_t places = (size_t)(width - PATTERN + 1) * (height - PATTERN + 1);
  unsigned char *image, *pattern;
  unsigned int *score;
  CUDA_CHECK(cudaMalloc(&image, (size_t)width * height));
  CUDA_CHECK(cudaMalloc(&pattern, PATTERN * PATTERN));
  CUDA_CHECK(cudaMalloc(&score, places * sizeof(unsigned int)));
  corpus::fill(image, (size_t)width * height, 0, 256, 1);
  corpus::fill(pattern, PATTERN * PATTERN, 0, 256, 2);
  dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
  for (int i = 0; i < 3; i++)
    sad<<<grid, block>>>(image, pattern, score, width, height);
  corpus::printChecksum("score", score, places);
  cudaFree(image);
  cudaFree(pattern);
  cudaFree(score);
}
