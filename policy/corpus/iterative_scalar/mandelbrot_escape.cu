// Mandelbrot set: iterations until escape, as 16-bit numbers, a pixel a thread.
#include "../corpus.h"

__global__ void mandelbrot(unsigned short *iterations, int width, int height,
                           float cx, float cy, float scale, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height)
    return;
  float a = cx + (px - width / 2) * scale;
  float b = cy + (py - height / 2) * scale;
  float x = 0.0f, y = 0.0f;
  int k = 0;
  while (x * x + y * y <= 4.0f && k < limit) {
    float t = x * x - y * y + a;
    y = 2.0f * x * y + b;
    x = t;
    k++;
  }
  iterations[py * width + px] = k;
}

int main(int argc, char **argv) {
  int width = 2000, height = 1400;
  corpus::parseSize(argc, argv, "--width", &width, 51);
  corpus::parseSize(argc, argv, "--height", &height, 33);
  unsigned short *iterations;
  size_t pixels = (size_t)width * height;
  CUDA_CHECK(cudaMalloc(&iterations, pixels * sizeof(unsigned short)));
  dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
  for (int zoom = 1; zoom <= 4; zoom *= 2)
    mandelbrot<<<grid, block>>>(iterations, width, height, -0.7f, 0.1f,
                                3.0f / width / zoom, 100);
  corpus::printChecksum("iterations", iterations, pixels);
  cudaFree(iterations);
}
