// Conjugate transpose of a complex matrix (float2); columns are the fast axis
// of the launch, so stores are a column apart.
#include "../corpus.h"

__global__ void conjugateTranspose(float2 *in, float2 *out, int rows,
                                   int cols) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < cols) {
    float2 z = in[i * cols + j];
    out[j * rows + i] = make_float2(z.x, -z.y);
  }
}

int main(int argc, char **argv) {
  int rows = 2000, cols = 1777;
  corpus::parseSize(argc, argv, "--rows", &rows, 43);
  corpus::parseSize(argc, argv, "--cols", &cols, 35);
  size_t n = (size_t)rows * cols;
  float2 *in, *out;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(float2)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(float2)));
  corpus::fill((float *)in, 2 * n, -1.0, 1.0, 2);
  dim3 block(16, 16);
  dim3 grid((cols + 15) / 16, (rows + 15) / 16);
  for (int i = 0; i < 4; i++)
    conjugateTranspose<<<grid, block>>>(in, out, rows, cols);
  corpus::printChecksum("conjugated", (float *)out, 2 * n);
  cudaFree(in);
  cudaFree(out);
}
