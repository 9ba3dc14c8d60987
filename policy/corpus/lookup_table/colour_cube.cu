// Colour grading by a cube of 17 x 17 x 17 entries, the nearest one, with the
// three bytes of a pixel apart from each other in memory.
#include "../corpus.h"

#define CUBE 17

__device__ int cell(unsigned char v) { return (v * (CUBE - 1) + 127) / 255; }

__global__ void grade(const unsigned char *rgb, const float *cube, float *out,
                      int pixels) {
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pixels;
       p += blockDim.x * gridDim.x) {
    int entry = (cell(rgb[3 * p]) * CUBE + cell(rgb[3 * p + 1])) * CUBE +
                cell(rgb[3 * p + 2]);
    for (int c = 0; c < 3; c++)
      out[3 * p + c] = cube[3 * entry + c];
  }
}

int main(int argc, char **argv) {
  int pixels = 4000000;
  corpus::parseSize(argc, argv, "--n", &pixels, 1777);
  const int entries = 3 * CUBE * CUBE * CUBE;
  unsigned char *rgb;
  float *cube, *out;
  CUDA_CHECK(cudaMalloc(&rgb, 3 * (size_t)pixels));
  CUDA_CHECK(cudaMalloc(&cube, entries * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, 3 * (size_t)pixels * sizeof(float)));
  corpus::fill(rgb, 3 * (size_t)pixels, 0, 256, 3);
  corpus::fill(cube, entries, 0.0, 1.0, 4);
  for (int i = 0; i < 3; i++)
    grade<<<1320, 256>>>(rgb, cube, out, pixels);
  corpus::printChecksum("out", out, 3 * (size_t)pixels);
  cudaFree(rgb);
  cudaFree(cube);
  cudaFree(out);
  return 0;
}
