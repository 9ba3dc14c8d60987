// Transposed convolution, twice as wide and high: each output asks which inputs
// reach it.
#include "../corpus.h"

__global__ void deconv4x4(const float *small, const float *w, float *large,
                          int h, int wd) {
  int ox = blockIdx.x * blockDim.x + threadIdx.x;
  int oy = blockIdx.y * blockDim.y + threadIdx.y;
  if (ox >= 2 * wd || oy >= 2 * h)
    return;
  float sum = 0.0f;
  for (int ky = 0; ky < 4; ky++) {
    int ty = oy + 1 - ky;
    if (ty < 0 || ty % 2 != 0 || ty / 2 >= h)
      continue;
    for (int kx = 0; kx < 4; kx++) {
      int tx = ox + 1 - kx;
      if (tx < 0 || tx % 2 != 0 || tx / 2 >= wd)
        continue;
      sum += small[(ty / 2) * wd + tx / 2] * w[ky * 4 + kx];
    }
  }
  large[oy * 2 * wd + ox] = sum;
}

int main(int argc, char **argv) {
  int h = 1000, wd = 1400;
  corpus::parseSize(argc, argv, "--height", &h, 15);
  corpus::parseSize(argc, argv, "--n", &wd, 23);
  float *small, *w, *large;
  CUDA_CHECK(cudaMalloc(&small, (size_t)h * wd * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&large, (size_t)4 * h * wd * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&w, 16 * sizeof(float)));
  corpus::fill(small, (size_t)h * wd, 0.0, 1.0, 1);
  corpus::fill(w, 16, 0.0, 0.5, 2);
  dim3 block(32, 8), grid((2 * wd + 31) / 32, (2 * h + 7) / 8);
  for (int i = 0; i < 3; i++) {
    deconv4x4<<<grid, block>>>(small, w, large, h, wd);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("large", large, (size_t)4 * h * wd);
  cudaFree(small);
  cudaFree(w);
  cudaFree(large);
  return 0;
}
