// Divides each row by its Euclidean length; a thread walks its row twice.
#include "../corpus.h"

__global__ void l2Normalize(const float *in, float *out, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sumSquares = 0.0f;
    for (int c = 0; c < cols; c++)
      sumSquares += in[row * cols + c] * in[row * cols + c];
    for (int c = 0; c < cols; c++)
      out[row * cols + c] = in[row * cols + c] / sqrtf(sumSquares + 1e-12f);
  }
}

int main(int argc, char **argv) {
  int rows = 8192, cols = 768;
  corpus::parseSize(argc, argv, "--n", &rows, 45);
  corpus::parseSize(argc, argv, "--cols", &cols, 70);
  const size_t count = (size_t)rows * cols;

  float *in, *out;
  CUDA_CHECK(cudaMalloc(&in, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, count * sizeof(float)));
  corpus::fill(in, count, -1.0, 1.0, 17);
  for (int i = 0; i < 3; i++)
    l2Normalize<<<(rows + 127) / 128, 128>>>(in, out, rows, cols);
  corpus::printChecksum("unit rows", out, count);
  cudaFree(in);
  cudaFree(out);
  return 0;
}
