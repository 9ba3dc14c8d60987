// Median of 3 x 3 by insertion into a small local array; the border is copied.
#include "../corpus.h"

__global__ void median(const float *__restrict__ in, float *__restrict__ out,
                       int width, int height) {
  const int ix = blockIdx.x * blockDim.x + threadIdx.x;
  const int iy = blockIdx.y * blockDim.y + threadIdx.y;
  if (ix >= width || iy >= height)
    return;
  if (ix == 0 || iy == 0 || ix == width - 1 || iy == height - 1) {
    out[iy * width + ix] = in[iy * width + ix];
    return;
  }
  float v[9];
  int n = 0;
  for (int y = iy - 1; y <= iy + 1; y++) {
    for (int x = ix - 1; x <= ix + 1; x++) {
      float key = in[y * width + x];
      int p = n++;
      while (p > 0 && v[p - 1] > key) {
        v[p] = v[p - 1];
        p--;
      }
      v[p] = key;
    }
  }
  out[iy * width + ix] = v[4];
}

int main(int argc, char **argv) {
  int width = 2048;
  corpus::parseSize(argc, argv, "--width", &width, 61);
  int height = width;
  size_t pixels = (size_t)width * height;
  float *in, *out;
  CUDA_CHECK(cudaMalloc(&in, pixels * 4));
  CUDA_CHECK(cudaMalloc(&out, pixels * 4));
  corpus::fill(in, pixels, 0.0, 1.0, 29);
  dim3 b(8, 32);
  dim3 g((width + b.x - 1) / b.x, (height + b.y - 1) / b.y);
  for (int i = 0; i < 3; ++i)
    median<<<g, b>>>(in, out, width, height);
  corpus::printChecksum("median", out, pixels);
  cudaFree(in);
  cudaFree(out);
}
