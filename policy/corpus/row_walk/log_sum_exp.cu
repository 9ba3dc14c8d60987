// log(sum(exp(x))) of each row: its maximum, then a sum in double.
#include "../corpus.h"

__global__ void logSumExp(const float *x, float *lse, unsigned rows,
                          unsigned width) {
  unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float m = -1e30f;
    for (unsigned j = 0; j < width; j++)
      m = fmaxf(m, x[r * width + j]);
    double total = 0.0;
    for (unsigned j = 0; j < width; j++)
      total += exp((double)(x[r * width + j] - m));
    lse[r] = m + log(total);
  }
}

int main(int argc, char **argv) {
  int rows = 16384, width = 256;
  corpus::parseSize(argc, argv, "--n", &rows, 61);
  corpus::parseSize(argc, argv, "--width", &width, 33);
  float *x, *lse;
  CUDA_CHECK(cudaMalloc(&x, (size_t)rows * width * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&lse, rows * sizeof(float)));
  corpus::fill(x, (size_t)rows * width, -5.0, 5.0, 2);

  for (int i = 0; i < 4; i++)
    logSumExp<<<(rows + 255) / 256, 256>>>(x, lse, rows, width);
  corpus::printChecksum("lse", lse, rows);
  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFree(lse));
  return 0;
}
