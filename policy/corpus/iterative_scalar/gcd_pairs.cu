// Greatest common divisors of pairs by Euclid, fractions reduced in place.
#include "../corpus.h"

struct Fraction {
  long long top;
  long long bottom;
};

__device__ long long gcd(long long a, long long b) {
  while (b != 0) {
    long long r = a % b;
    a = b;
    b = r;
  }
  return a;
}

__global__ void reduceFractions(Fraction *f, Fraction *reduced, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  reduced[i].top = f[i].top / gcd(f[i].top, f[i].bottom);
  reduced[i].bottom = f[i].bottom / gcd(f[i].top, f[i].bottom);
}

int main(int argc, char **argv) {
  int n = 500000;
  corpus::parseSize(argc, argv, "--n", &n, 700);
  Fraction *f, *reduced;
  CUDA_CHECK(cudaMalloc(&f, n * sizeof(Fraction)));
  CUDA_CHECK(cudaMalloc(&reduced, n * sizeof(Fraction)));
  corpus::fill((long long *)f, 2 * (size_t)n, 1, 1000000, 8);
  for (int i = 0; i < 3; i++)
    reduceFractions<<<(n + 255) / 256, 256>>>(f, reduced, n);
  corpus::printChecksum("reduced", (long long *)reduced, 2 * (size_t)n);
  cudaFree(f);
  cudaFree(reduced);
}
