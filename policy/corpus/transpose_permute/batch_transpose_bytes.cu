// Transposes each of many small byte matrices; the batch is the grid's z.
#include "../corpus.h"

__global__ void transposeBatch(const unsigned char *src, unsigned char *dst,
                               int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  size_t base = (size_t)blockIdx.z * rows * cols;
  if (c < cols && r < rows)
    dst[base + c * rows + r] = src[base + r * cols + c];
}

int main(int argc, char **argv) {
  int batch = 400, rows = 200, cols = 180;
  corpus::parseSize(argc, argv, "--batch", &batch, 3);
  corpus::parseSize(argc, argv, "--rows", &rows, 23);
  corpus::parseSize(argc, argv, "--cols", &cols, 30);
  size_t n = (size_t)batch * rows * cols;
  unsigned char *src, *dst;
  CUDA_CHECK(cudaMalloc(&src, n));
  CUDA_CHECK(cudaMalloc(&dst, n));
  corpus::fill(src, n, 0, 256, 12);
  dim3 block(32, 8), grid((cols + 31) / 32, (rows + 7) / 8, batch);
  transposeBatch<<<grid, block>>>(src, dst, rows, cols);
  transposeBatch<<<grid, block>>>(src, dst, rows, cols);
  transposeBatch<<<grid, block>>>(src, dst, rows, cols);
  corpus::printChecksum("transposed", dst, n);
  cudaFree(src);
  cudaFree(dst);
}
