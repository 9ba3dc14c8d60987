// Histograms of the three channels of an image, 256 bins each.
#include "../corpus.h"

__global__ void rgbHistogram(const uchar3 *image, unsigned int *red,
                             unsigned int *green, unsigned int *blue, int width,
                             int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  uchar3 pixel = image[y * width + x];
  atomicAdd(&red[pixel.x], 1);
  atomicAdd(&green[pixel.y], 1);
  atomicAdd(&blue[pixel.z], 1);
}

int main(int argc, char **argv) {
  int width = 2400, height = 1600;
  corpus::parseSize(argc, argv, "--n", &width, 67);
  corpus::parseSize(argc, argv, "--height", &height, 45);
  size_t pixels = (size_t)width * height;
  uchar3 *image;
  unsigned int *bins;
  CUDA_CHECK(cudaMalloc(&image, pixels * sizeof(uchar3)));
  CUDA_CHECK(cudaMalloc(&bins, 3 * 256 * sizeof(unsigned int)));
  corpus::fill((unsigned char *)image, 3 * pixels, 20, 90, 7);
  dim3 block(32, 8), grid((width + 31) / 32, (height + 7) / 8);
  for (int frame = 0; frame < 3; frame++) {
    CUDA_CHECK(cudaMemset(bins, 0, 3 * 256 * sizeof(unsigned int)));
    rgbHistogram<<<grid, block>>>(image, bins, bins + 256, bins + 512, width,
                                  height);
  }
  corpus::printChecksum("bins", bins, 3 * 256);
  CUDA_CHECK(cudaFree(image));
  CUDA_CHECK(cudaFree(bins));
}
