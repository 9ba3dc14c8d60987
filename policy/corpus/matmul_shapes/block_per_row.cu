// A block for each row of the product, its threads are the columns.
#include "../corpus.h"

__global__ void productRow(const float *a, const float *b, float *c, int inner,
                           int cols) {
  int row = blockIdx.x;
  int col = threadIdx.x;
  if (col < cols) {
    float v = 0.0f;
    for (int k = 0; k < inner; k++)
      v += a[row * inner + k] * b[k * cols + col];
    c[row * cols + col] = fmaxf(v, 0.0f);
  }
}

int main(int argc, char **argv) {
  int rows = 3000, inner = 512, cols = 500;
  corpus::parseSize(argc, argv, "--n", &rows, 21);
  corpus::parseSize(argc, argv, "--inner", &inner, 30);
  corpus::parseSize(argc, argv, "--cols", &cols, 50);
  float *a, *b, *c;
  CUDA_CHECK(cudaMalloc(&a, (size_t)rows * inner * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&b, (size_t)inner * cols * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&c, (size_t)rows * cols * sizeof(float)));
  corpus::fill(a, (size_t)rows * inner, -1.0, 1.0, 1);
  corpus::fill(b, (size_t)inner * cols, -1.0, 1.0, 2);
  for (int i = 0; i < 3; i++)
    productRow<<<rows, 512>>>(a, b, c, inner, cols);
  corpus::printChecksum("c", c, (size_t)rows * cols);
  CUDA_CHECK(cudaFree(a));
  CUDA_CHECK(cudaFree(b));
  CUDA_CHECK(cudaFree(c));
}
