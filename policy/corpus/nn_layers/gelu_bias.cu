// Bias and GELU (tanh form) on the output of a dense layer, rows in the grid's
// y, followed by the residual.
#include "../corpus.h"

__global__ void biasGelu(float *x, float *bias, float *residual, float *out,
                         int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y;
  if (c < cols && r < rows) {
    float v = x[r * cols + c] + bias[c];
    float inner = 0.7978845608 * (v + 0.044715 * pow(v, 3));
    out[r * cols + c] = 0.5 * v * (1.0 + tanh(inner)) + residual[r * cols + c];
  }
}

int main(int argc, char **argv) {
  int rows = 2048, cols = 3072;
  corpus::parseSize(argc, argv, "--rows", &rows, 20);
  corpus::parseSize(argc, argv, "--cols", &cols, 130);
  size_t n = (size_t)rows * cols;
  float *x, *bias, *residual, *out;
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&bias, cols * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&residual, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(float)));
  corpus::fill(x, n, -3.0, 3.0, 1);
  corpus::fill(bias, cols, -0.5, 0.5, 2);
  corpus::fill(residual, n, 1.0, 2.0, 3);
  dim3 grid((cols + 255) / 256, rows);
  for (int i = 0; i < 3; i++)
    biasGelu<<<grid, 256>>>(x, bias, residual, out, rows, cols);
  corpus::printChecksum("out", out, n);
  cudaFree(x);
  cudaFree(bias);
  cudaFree(residual);
  cudaFree(out);
}
