// Pixel shuffle: r * r channels become an image r times as wide and high.
#include "../corpus.h"

#define CUDA_KERNEL_LOOP(i, n)                                                 \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n);                 \
       i += blockDim.x * gridDim.x)

__global__ void depth_to_space_kernel(int nthreads, const float *bottom,
                                      float *top, int channels, int height,
                                      int width, int r) {
  CUDA_KERNEL_LOOP(index, nthreads) {
    const int out_w = width * r;
    const int out_h = height * r;
    const int x = index % out_w;
    const int y = (index / out_w) % out_h;
    const int c = index / out_w / out_h;
    const int in_c = (c * r + y % r) * r + x % r;
    top[index] = bottom[(in_c * height + y / r) * width + x / r];
  }
}

int main(int argc, char **argv) {
  int channels = 3, side = 512, r = 4;
  corpus::parseSize(argc, argv, "--n", &side, 17);
  corpus::parseSize(argc, argv, "--factor", &r, 3);
  const int count = channels * r * r * side * side;

  float *bottom, *top;
  CUDA_CHECK(cudaMalloc(&bottom, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&top, count * sizeof(float)));
  corpus::fill(bottom, count, -1.0, 1.0, 77);
  for (int i = 0; i < 3; i++) {
    depth_to_space_kernel<<<2048, 256>>>(count, bottom, top, channels, side,
                                         side, r);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("top", top, count);
  CUDA_CHECK(cudaFree(bottom));
  CUDA_CHECK(cudaFree(top));
  return 0;
}
