// Matrix stored by columns: neighbouring threads read neighbouring rows, few
// threads, a long loop.
#include "../corpus.h"

template <typename T>
__global__ void gemvColumnMajor(const T *matrix, const T *vec, T *res, int rows,
                                int cols) {
  int r = blockDim.x * blockIdx.x + threadIdx.x;
  if (r >= rows)
    return;
  T total = 0;
  for (int c = 0; c < cols; ++c)
    total += matrix[(size_t)c * rows + r] * vec[c];
  res[r] = total;
}

int main(int argc, char **argv) {
  int rows = 2500, cols = 6000;
  corpus::parseSize(argc, argv, "--n", &rows, 70);
  corpus::parseSize(argc, argv, "--cols", &cols, 45);
  float *matrix, *vec, *res;
  CUDA_CHECK(cudaMalloc(&matrix, (size_t)rows * cols * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&vec, cols * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&res, rows * sizeof(float)));
  corpus::fill(matrix, (size_t)rows * cols, 0.0, 2.0, 1);
  corpus::fill(vec, cols, 0.0, 1.0, 2);
  for (int i = 0; i < 4; i++)
    gemvColumnMajor<float>
        <<<(rows + 63) / 64, 64>>>(matrix, vec, res, rows, cols);
  corpus::printChecksum("res", res, rows);
  CUDA_CHECK(cudaFree(matrix));
  CUDA_CHECK(cudaFree(vec));
  CUDA_CHECK(cudaFree(res));
}
