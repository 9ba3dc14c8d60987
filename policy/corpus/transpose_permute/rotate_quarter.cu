// Turns a picture of four-byte pixels by ninety degrees, clockwise.
#include "../corpus.h"

__global__ void rotate90(uchar4 *picture, uchar4 *turned, int width,
                         int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width) {
    if (y < height) {
      uchar4 pixel = picture[y * width + x];
      turned[x * height + (height - 1 - y)] = pixel;
    }
  }
}

int main(int argc, char **argv) {
  int width = 3840, height = 2160;
  corpus::parseSize(argc, argv, "--width", &width, 75);
  corpus::parseSize(argc, argv, "--height", &height, 41);
  size_t pixels = (size_t)width * height;
  uchar4 *picture, *turned;
  CUDA_CHECK(cudaMalloc(&picture, pixels * sizeof(uchar4)));
  CUDA_CHECK(cudaMalloc(&turned, pixels * sizeof(uchar4)));
  corpus::fill((unsigned char *)picture, 4 * pixels, 0, 256, 3);
  dim3 block(32, 32);
  dim3 grid((width + 31) / 32, (height + 31) / 32);
  for (int frame = 0; frame < 4; frame++)
    rotate90<<<grid, block>>>(picture, turned, width, height);
  corpus::printChecksum("turned", (unsigned char *)turned, 4 * pixels);
  cudaFree(picture);
  cudaFree(turned);
}
