// Box filter of run-time radius; coordinates are mirrored at the border.
#include "../corpus.h"

__device__ int reflect(int p, int n) {
  while (p < 0 || p >= n)
    p = p < 0 ? -p - 1 : 2 * n - p - 1;
  return p;
}

__global__ void boxMean(float *src, float *dst, int rows, int cols,
                        int radius) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) {
    float sum = 0;
    for (int dr = -radius; dr <= radius; dr++) {
      for (int dc = -radius; dc <= radius; dc++) {
        sum += src[reflect(r + dr, rows) * cols + reflect(c + dc, cols)] /
               ((2 * radius + 1) * (2 * radius + 1));
      }
    }
    dst[r * cols + c] = sum;
  }
}

int main(int argc, char **argv) {
  int rows = 1800;
  corpus::parseSize(argc, argv, "--rows", &rows, 45);
  int cols = rows * 4 / 3;
  int count = rows * cols;
  float *src, *dst;
  CUDA_CHECK(cudaMalloc(&src, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dst, count * sizeof(float)));
  corpus::fill(src, count, 0.0, 255.0, 8);
  dim3 threads(16, 16);
  dim3 blocks((cols + threads.x - 1) / threads.x,
              (rows + threads.y - 1) / threads.y);
  for (int i = 0; i < 3; i++) {
    boxMean<<<blocks, threads>>>(src, dst, rows, cols, 4);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("mean", dst, count);
  cudaFree(src);
  cudaFree(dst);
  return 0;
}
