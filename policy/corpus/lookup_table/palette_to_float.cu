// An image of palette numbers to three float planes; the palette is an array of
// structures.
#include "../corpus.h"

struct Colour {
  float r, g, b;
};

__global__ void expand(const unsigned short *index, const Colour *palette,
                       float *planes, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int at = y * width + x;
    int area = width * height;
    planes[at] = palette[index[at] & 1023].r / 255.0f;
    planes[area + at] = palette[index[at] & 1023].g / 255.0f;
    planes[2 * area + at] = palette[index[at] & 1023].b / 255.0f;
  }
}

int main(int argc, char **argv) {
  int width = 2200, height = 1700;
  corpus::parseSize(argc, argv, "--n", &width, 53);
  corpus::parseSize(argc, argv, "--height", &height, 37);
  size_t area = (size_t)width * height;
  unsigned short *index;
  Colour *palette;
  float *planes;
  CUDA_CHECK(cudaMalloc(&index, area * sizeof(unsigned short)));
  CUDA_CHECK(cudaMalloc(&palette, 1024 * sizeof(Colour)));
  CUDA_CHECK(cudaMalloc(&planes, 3 * area * sizeof(float)));
  corpus::fill(index, area, 0, 65536, 1);
  corpus::fill((float *)palette, 3 * 1024, 0.0, 255.0, 2);
  dim3 block(32, 16), grid((width + 31) / 32, (height + 15) / 16);
  for (int frame = 0; frame < 4; frame++)
    expand<<<grid, block>>>(index, palette, planes, width, height);
  corpus::printChecksum("planes", planes, 3 * area);
  CUDA_CHECK(cudaFree(index));
  CUDA_CHECK(cudaFree(palette));
  CUDA_CHECK(cudaFree(planes));
}
