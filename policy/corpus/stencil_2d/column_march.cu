// Vertical gradient energy: each thread walks down its column and looks at the
// rows above and below, with the sum of squares per column at the end.
#include "../corpus.h"

__global__ void gradientEnergy(float *img, float *grad, float *energy,
                               int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < width) {
    energy[x] = 0.0f;
    for (int y = 1; y < height - 1; y++) {
      grad[y * width + x] =
          (img[(y + 1) * width + x] - img[(y - 1) * width + x]) * 0.5f;
      energy[x] += grad[y * width + x] * grad[y * width + x];
    }
  }
}

int main(int argc, char **argv) {
  int width = 16384, height = 512;
  corpus::parseSize(argc, argv, "--width", &width, 301);
  corpus::parseSize(argc, argv, "--height", &height, 20);
  float *img, *grad, *energy;
  CUDA_CHECK(cudaMalloc(&img, sizeof(float) * width * height));
  CUDA_CHECK(cudaMalloc(&grad, sizeof(float) * width * height));
  CUDA_CHECK(cudaMalloc(&energy, sizeof(float) * width));
  CUDA_CHECK(cudaMemset(grad, 0, sizeof(float) * width * height));
  corpus::fill(img, (size_t)width * height, 0.0, 4.0, 55);
  for (int r = 0; r < 3; r++)
    gradientEnergy<<<(width + 63) / 64, 64>>>(img, grad, energy, width, height);
  corpus::printChecksum("energy", energy, width);
  corpus::printChecksum("gradient", grad, (size_t)width * height);
  cudaFree(img);
  cudaFree(grad);
  cudaFree(energy);
}
