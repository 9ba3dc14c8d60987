// Copies rows into wider ones, zeros behind them; rows along threadIdx.y.
#include "../corpus.h"

__global__ void padRows(const float *in, float *out, int rows, int width,
                        int pitch) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < pitch)
    out[r * pitch + c] = c < width ? in[r * width + c] : 0.0f;
}

int main(int argc, char **argv) {
  int rows = 3000, width = 2001;
  corpus::parseSize(argc, argv, "--rows", &rows, 31);
  corpus::parseSize(argc, argv, "--n", &width, 75);
  int pitch = (width + 127) / 128 * 128;
  float *in, *out;
  CUDA_CHECK(cudaMalloc(&in, (size_t)rows * width * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, (size_t)rows * pitch * sizeof(float)));
  corpus::fill(in, (size_t)rows * width, 1.0, 2.0, 6);
  dim3 block(32, 8), grid((pitch + 31) / 32, (rows + 7) / 8);
  for (int i = 0; i < 4; i++)
    padRows<<<grid, block>>>(in, out, rows, width, pitch);
  corpus::printChecksum("out", out, (size_t)rows * pitch);
  cudaFree(in);
  cudaFree(out);
  return 0;
}
