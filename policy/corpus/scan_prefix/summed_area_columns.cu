// Integral image of bytes in two passes: along the rows with a thread a row,
// then down the columns with a thread a column.
#include "../corpus.h"

__global__ void sumRows(unsigned char *img, unsigned int *integral, int w,
                        int h) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < h) {
    unsigned int s = 0;
    for (int x = 0; x < w; x++) {
      s += img[y * w + x];
      integral[y * w + x] = s;
    }
  }
}

__global__ void sumColumns(unsigned int *integral, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < w)
    for (int y = 1; y < h; y++)
      integral[y * w + x] = integral[y * w + x] + integral[(y - 1) * w + x];
}

int main(int argc, char **argv) {
  int w = 2048, h = 1500;
  corpus::parseSize(argc, argv, "--width", &w, 50);
  corpus::parseSize(argc, argv, "--height", &h, 40);
  unsigned char *img;
  unsigned int *integral;
  CUDA_CHECK(cudaMalloc(&img, w * h));
  CUDA_CHECK(cudaMalloc(&integral, w * h * sizeof(unsigned int)));
  corpus::fill(img, w * h, 0, 256, 21);
  for (int frame = 0; frame < 3; frame++) {
    sumRows<<<(h + 63) / 64, 64>>>(img, integral, w, h);
    sumColumns<<<(w + 63) / 64, 64>>>(integral, w, h);
  }
  corpus::printChecksum("integral", integral, (size_t)w * h);
  cudaFree(img);
  cudaFree(integral);
}
