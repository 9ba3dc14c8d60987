// Longest common subsequence of many pairs of short strings, a pair a thread,
// its two rows of lengths in a piece of global memory of its own.
#include "../corpus.h"

#define MAX_LEN 32

__global__ void lcs(const signed char *a, const signed char *b, int *rows,
                    int *result, int pairs, int length) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs)
    return;
  int *row = rows + p * 2 * (MAX_LEN + 1);
  for (int j = 0; j <= length; j++)
    row[j] = 0;
  for (int i = 1; i <= length; i++) {
    int *old = row + ((i - 1) % 2) * (MAX_LEN + 1);
    int *now = row + (i % 2) * (MAX_LEN + 1);
    now[0] = 0;
    for (int j = 1; j <= length; j++) {
      if (a[p * length + i - 1] == b[p * length + j - 1])
        now[j] = old[j - 1] + 1;
      else
        now[j] = max(old[j], now[j - 1]);
    }
  }
  result[p] = row[(length % 2) * (MAX_LEN + 1) + length];
}

int main(int argc, char **argv) {
  int pairs = 60000, length = 24;
  corpus::parseSize(argc, argv, "--pairs", &pairs, 40);
  corpus::parseSize(argc, argv, "--length", &length, 11);
  length = std::min(length, MAX_LEN);
  signed char *a, *b;
  int *rows, *result;
  CUDA_CHECK(cudaMalloc(&a, pairs * length));
  CUDA_CHECK(cudaMalloc(&b, pairs * length));
  CUDA_CHECK(cudaMalloc(&rows, sizeof(int) * pairs * 2 * (MAX_LEN + 1)));
  CUDA_CHECK(cudaMalloc(&result, sizeof(int) * pairs));
  corpus::fill(a, (size_t)pairs * length, 0, 4, 5);
  corpus::fill(b, (size_t)pairs * length, 0, 4, 6);
  for (int i = 0; i < 3; i++)
    lcs<<<(pairs + 127) / 128, 128>>>(a, b, rows, result, pairs, length);
  corpus::printChecksum("lcs", result, pairs);
  cudaFree(a);
  cudaFree(b);
  cudaFree(rows);
  cudaFree(result);
}
