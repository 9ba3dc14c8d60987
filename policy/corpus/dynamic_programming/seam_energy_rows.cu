// Seam carving: least energy of a path from the top to each pixel, one row a
// launch, for a stack of images.
#include "../corpus.h"

__global__ void seamRow(float *energy, float *cost, int width, int height,
                        int images, int y) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int img = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || img >= images)
    return;
  int here = (img * height + y) * width + x;
  if (y == 0) {
    cost[here] = energy[here];
    return;
  }
  cost[here] = cost[here - width];
  if (x > 0)
    cost[here] = fminf(cost[here], cost[here - width - 1]);
  if (x < width - 1)
    cost[here] = fminf(cost[here], cost[here - width + 1]);
  cost[here] += energy[here];
}

int main(int argc, char **argv) {
  int width = 4096, height = 5, images = 600;
  corpus::parseSize(argc, argv, "--width", &width, 70);
  corpus::parseSize(argc, argv, "--height", &height, 5);
  corpus::parseSize(argc, argv, "--images", &images, 5);
  size_t n = (size_t)width * height * images;
  float *energy, *cost;
  CUDA_CHECK(cudaMalloc(&energy, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&cost, n * sizeof(float)));
  corpus::fill(energy, n, 0.0, 1.0, 4);
  dim3 block(64, 4), grid((width + 63) / 64, (images + 3) / 4);
  for (int y = 0; y < height; y++)
    seamRow<<<grid, block>>>(energy, cost, width, height, images, y);
  corpus::printChecksum("cost", cost, n);
  cudaFree(energy);
  cudaFree(cost);
}
