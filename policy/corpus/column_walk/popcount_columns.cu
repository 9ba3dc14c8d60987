// Set bits and parity of each column of a matrix of bit words.
#include "../corpus.h"

__global__ void popcountColumns(const unsigned *words, unsigned *bits,
                                unsigned *parity, int rows, int pitch,
                                int columns) {
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < columns;
       c += gridDim.x * blockDim.x) {
    unsigned count = 0, x = 0;
    for (int r = 0; r < rows; r++) {
      count += __popc(words[r * pitch + c]);
      x ^= words[r * pitch + c];
    }
    bits[c] = count;
    parity[c] = x;
  }
}

int main(int argc, char **argv) {
  int rows = 2048, columns = 6000;
  corpus::parseSize(argc, argv, "--rows", &rows, 37);
  corpus::parseSize(argc, argv, "--n", &columns, 99);
  int pitch = (columns + 31) / 32 * 32;
  unsigned *words, *bits, *parity;
  CUDA_CHECK(cudaMalloc(&words, (size_t)rows * pitch * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&bits, columns * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&parity, columns * sizeof(unsigned)));
  corpus::fill(words, (size_t)rows * pitch, 0.0, 4294967296.0, 14);
  for (int i = 0; i < 4; i++)
    popcountColumns<<<32, 128>>>(words, bits, parity, rows, pitch, columns);
  corpus::printChecksum("bits", bits, columns);
  corpus::printChecksum("parity", parity, columns);
  cudaFree(words);
  cudaFree(bits);
  cudaFree(parity);
}
