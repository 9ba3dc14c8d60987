// 8 x 8 cosine transform of the blocks of an image, a thread per coefficient,
// the basis from a table of 64 floats.
#include "../corpus.h"

__global__ void dct8x8(const float *image, const float *basis, float *coef,
                       int width, int height) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  int v = blockIdx.y * blockDim.y + threadIdx.y;
  if (u >= width || v >= height)
    return;
  int left = u / 8 * 8, top = v / 8 * 8;
  float sum = 0;
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 8; x++)
      sum += image[(top + y) * width + left + x] * basis[(u % 8) * 8 + x] *
             basis[(v % 8) * 8 + y];
  coef[v * width + u] = sum;
}

int main(int argc, char **argv) {
  int columns = 180, rows = 120; // blocks of 8 x 8
  corpus::parseSize(argc, argv, "--n", &columns, 5);
  corpus::parseSize(argc, argv, "--rows", &rows, 3);
  int width = columns * 8, height = rows * 8;
  float table[64];
  for (int k = 0; k < 8; k++)
    for (int x = 0; x < 8; x++)
      table[k * 8 + x] =
          (k ? 0.5f : 0.35355339f) * cosf((2 * x + 1) * k * 3.14159265f / 16);
  float *image, *basis, *coef;
  CUDA_CHECK(cudaMalloc(&image, (size_t)width * height * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&coef, (size_t)width * height * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&basis, sizeof(table)));
  CUDA_CHECK(cudaMemcpy(basis, table, sizeof(table), cudaMemcpyHostToDevice));
  corpus::fill(image, (size_t)width * height, -128.0, 128.0, 6);
  dim3 threads(8, 8), blocks(columns, rows);
  for (int i = 0; i < 4; i++) {
    dct8x8<<<blocks, threads>>>(image, basis, coef, width, height);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("coef", coef, (size_t)width * height);
  cudaFree(image);
  cudaFree(basis);
  cudaFree(coef);
  return 0;
}
