// base^exponent mod m by squaring, for a Fermat test of many odd numbers.
#include "../corpus.h"

using u64 = unsigned long long;

__global__ void fermat(const unsigned *candidates, unsigned char *probable,
                       u64 base, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    u64 m = candidates[i] | 1u;
    u64 result = 1, b = base % m, e = m - 1;
    while (e > 0) {
      if (e & 1)
        result = result * b % m;
      b = b * b % m;
      e >>= 1;
    }
    probable[i] = result == 1;
  }
}

int main(int argc, char **argv) {
  int n = 1000000;
  corpus::parseSize(argc, argv, "--n", &n, 800);
  unsigned *candidates;
  unsigned char *probable;
  CUDA_CHECK(cudaMalloc(&candidates, n * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&probable, n));
  corpus::fill(candidates, n, 3, 2147483647.0, 4);
  const u64 bases[] = {2, 3, 5};
  for (u64 base : bases)
    fermat<<<(n + 127) / 128, 128>>>(candidates, probable, base, n);
  corpus::printChecksum("probable", probable, n);
  cudaFree(candidates);
  cudaFree(probable);
}
