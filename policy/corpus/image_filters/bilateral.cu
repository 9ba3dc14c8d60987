// Bilateral filter with a window of 2 * radius + 1, weights by two calls of
// exp for each tap.
#include "../corpus.h"

__global__ void bilateral(float *image, float *smooth, int width, int height,
                          int radius, float sigmaSpace, float sigmaRange) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < width && row < height) {
    float total = 0, weights = 0;
    for (int dy = -radius; dy <= radius; dy++) {
      for (int dx = -radius; dx <= radius; dx++) {
        int r = row + dy, c = col + dx;
        if (r < 0 || c < 0 || r >= height || c >= width)
          continue;
        float difference = image[r * width + c] - image[row * width + col];
        float w = exp(-(dx * dx + dy * dy) / (2 * sigmaSpace * sigmaSpace)) *
                  exp(-difference * difference / (2 * sigmaRange * sigmaRange));
        total += w * image[r * width + c];
        weights += w;
      }
    }
    smooth[row * width + col] = total / weights;
  }
}

int main(int argc, char **argv) {
  int width = 1280, height = 800;
  corpus::parseSize(argc, argv, "--width", &width, 39);
  corpus::parseSize(argc, argv, "--height", &height, 22);
  size_t pixels = (size_t)width * height;
  float *image, *smooth;
  CUDA_CHECK(cudaMalloc(&image, pixels * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&smooth, pixels * sizeof(float)));
  corpus::fill(image, pixels, 0.0, 1.0, 6);
  dim3 threads(16, 16);
  dim3 blocks((width + 15) / 16, (height + 15) / 16);
  bilateral<<<blocks, threads>>>(image, smooth, width, height, 3, 2.0f, 0.2f);
  bilateral<<<blocks, threads>>>(image, smooth, width, height, 3, 1.5f, 0.3f);
  bilateral<<<blocks, threads>>>(image, smooth, width, height, 3, 3.0f, 0.1f);
  corpus::printChecksum("smooth", smooth, pixels);
  cudaFree(image);
  cudaFree(smooth);
}
