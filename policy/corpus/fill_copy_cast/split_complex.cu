// Interleaved complex numbers, four a thread, to two arrays.
#include "../corpus.h"

__global__ void splitComplex(const float *__restrict__ mixed,
                             float *__restrict__ re, float *__restrict__ im,
                             int quads) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q < quads) {
    re[4 * q] = mixed[8 * q];
    im[4 * q] = mixed[8 * q + 1];
    re[4 * q + 1] = mixed[8 * q + 2];
    im[4 * q + 1] = mixed[8 * q + 3];
    re[4 * q + 2] = mixed[8 * q + 4];
    im[4 * q + 2] = mixed[8 * q + 5];
    re[4 * q + 3] = mixed[8 * q + 6];
    im[4 * q + 3] = mixed[8 * q + 7];
  }
}

int main(int argc, char **argv) {
  int quads = 1500000;
  corpus::parseSize(argc, argv, "--n", &quads, 777);
  size_t n = (size_t)quads * 4;
  float *mixed, *re, *im;
  CUDA_CHECK(cudaMalloc(&mixed, 2 * n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&re, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&im, n * sizeof(float)));
  corpus::fill(mixed, 2 * n, -1.0, 1.0, 3);
  for (int i = 0; i < 5; i++)
    splitComplex<<<(quads + 127) / 128, 128>>>(mixed, re, im, quads);
  corpus::printChecksum("re", re, n);
  corpus::printChecksum("im", im, n);
  cudaFree(mixed);
  cudaFree(re);
  cudaFree(im);
}
