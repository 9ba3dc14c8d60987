// Bessel function J0 by its power series with powers and factorials made anew
// for each term; double.
#include "../corpus.h"

__global__ void besselSeries(double *x, double *j0, int n, int terms) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    j0[i] = 0.0;
    for (int k = 0; k < terms; k++) {
      double factorial = 1.0;
      for (int f = 2; f <= k; f++)
        factorial *= f;
      double sign = k % 2 == 0 ? 1.0 : -1.0;
      j0[i] += sign * pow(x[i] / 2.0, 2 * k) / (factorial * factorial);
    }
  }
}

int main(int argc, char **argv) {
  int n = 200000, terms = 16;
  corpus::parseSize(argc, argv, "--n", &n, 200);
  corpus::parseSize(argc, argv, "--terms", &terms, 9);
  double *x, *j0;
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&j0, n * sizeof(double)));
  corpus::fill(x, n, 0.0, 5.0, 3);
  for (int i = 0; i < 3; i++)
    besselSeries<<<(n + 255) / 256, 256>>>(x, j0, n, terms);
  corpus::printChecksum("j0", j0, n);
  cudaFree(x);
  cudaFree(j0);
}
