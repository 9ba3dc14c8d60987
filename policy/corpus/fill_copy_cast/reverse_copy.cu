// Copies an array backwards, and swaps the byte order of its words.
#include "../corpus.h"

#include <cstdint>

template <typename T> __global__ void reverseCopy(const T *in, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[n - 1 - i] = in[i];
}

__global__ void swapBytes(uint32_t *words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    uint32_t w = words[i];
    words[i] =
        (w >> 24) | ((w >> 8) & 0xff00) | ((w << 8) & 0xff0000) | (w << 24);
  }
}

int main(int argc, char **argv) {
  int n = 11000000;
  corpus::parseSize(argc, argv, "--n", &n, 2999);
  uint32_t *in, *out;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(uint32_t)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(uint32_t)));
  corpus::fill(in, n, 0.0, 4294967296.0, 1);
  for (int i = 0; i < 3; i++) {
    reverseCopy<uint32_t><<<(n + 255) / 256, 256>>>(in, out, n);
    swapBytes<<<(n + 255) / 256, 256>>>(out, n);
  }
  corpus::printChecksum("out", out, n);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  return 0;
}
