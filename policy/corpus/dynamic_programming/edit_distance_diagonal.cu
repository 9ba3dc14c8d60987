// Edit distance of many pairs of words at once, one anti-diagonal of all
// tables a launch: the longest ones, from the middle on.
#include "../corpus.h"

__global__ void diagonal(char *first, char *second, int *table, int length,
                         int words, int d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int word = blockIdx.y;
  int j = d - i;
  if (i > length || j < 1 || j > length || word >= words)
    return;
  int width = length + 1;
  int *t = table + word * width * width;
  int replace = t[(i - 1) * width + j - 1] +
                (first[word * length + i - 1] != second[word * length + j - 1]);
  int remove = t[(i - 1) * width + j] + 1;
  int insert = t[i * width + j - 1] + 1;
  t[i * width + j] = min(replace, min(remove, insert));
}

int main(int argc, char **argv) {
  int length = 60, words = 4000;
  corpus::parseSize(argc, argv, "--length", &length, 13);
  corpus::parseSize(argc, argv, "--words", &words, 5);
  size_t letters = (size_t)words * length;
  size_t cells = (size_t)words * (length + 1) * (length + 1);
  char *first, *second;
  int *table;
  CUDA_CHECK(cudaMalloc(&first, letters));
  CUDA_CHECK(cudaMalloc(&second, letters));
  CUDA_CHECK(cudaMalloc(&table, cells * sizeof(int)));
  corpus::fill(table, cells, 0, length, 3); // as if some diagonals were done
  corpus::fill(first, letters, 97, 101, 1);
  corpus::fill(second, letters, 97, 101, 2);
  dim3 grid((length + 31) / 32, words);
  for (int d = length - 1; d < length + 4; d++)
    diagonal<<<grid, 32>>>(first, second, table, length, words, d);
  corpus::printChecksum("table", table, cells);
  cudaFree(first);
  cudaFree(second);
  cudaFree(table);
}
