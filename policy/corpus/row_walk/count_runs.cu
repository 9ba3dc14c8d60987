// Length of the longest run and the number of changes in each line of a
// black-and-white scan, a thread per line, byte by byte.
#include "../corpus.h"

#include <cstdint>

__global__ void countRuns(const uint8_t *scan, int *changes, int *longest,
                          int lines, int width) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines)
    return;
  changes[line] = 0;
  longest[line] = 0;
  int run = 1;
  int x = 1;
  while (x < width) {
    uint8_t here = scan[(size_t)line * width + x];
    if (here != scan[(size_t)line * width + x - 1]) {
      changes[line]++;
      run = 0;
    }
    run++;
    if (run > longest[line])
      longest[line] = run;
    x++;
  }
}

int main(int argc, char **argv) {
  int lines = 14000, width = 1728;
  corpus::parseSize(argc, argv, "--n", &lines, 50);
  corpus::parseSize(argc, argv, "--width", &width, 45);
  uint8_t *scan;
  int *changes, *longest;
  CUDA_CHECK(cudaMalloc(&scan, (size_t)lines * width));
  CUDA_CHECK(cudaMalloc(&changes, lines * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&longest, lines * sizeof(int)));
  corpus::fill(scan, (size_t)lines * width, 0, 2, 8);
  for (int page = 0; page < 3; page++)
    countRuns<<<(lines + 255) / 256, 256>>>(scan, changes, longest, lines,
                                            width);
  corpus::printChecksum("changes", changes, lines);
  corpus::printChecksum("longest", longest, lines);
  cudaFree(scan);
  cudaFree(changes);
  cudaFree(longest);
  return 0;
}
