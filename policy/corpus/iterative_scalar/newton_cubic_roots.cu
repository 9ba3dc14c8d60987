// Newton's method on a cubic for each set of coefficients (an array of four
// doubles a thread), a fixed number of iterations with a test for the end.
#include "../corpus.h"

__global__ void newton(const double *coef, double *root, int *steps, int n,
                       double tolerance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double x = 1.0;
    int k;
    for (k = 0; k < 40; k++) {
      double f = coef[4 * i] * pow(x, 3) + coef[4 * i + 1] * pow(x, 2) +
                 coef[4 * i + 2] * x + coef[4 * i + 3];
      double df = 3 * coef[4 * i] * pow(x, 2) + 2 * coef[4 * i + 1] * x +
                  coef[4 * i + 2];
      double dx = f / df;
      x = x - dx;
      if (fabs(dx) < tolerance)
        break;
    }
    root[i] = x;
    steps[i] = k;
  }
}

int main(int argc, char **argv) {
  int n = 700000;
  corpus::parseSize(argc, argv, "--n", &n, 900);
  double *coef, *root;
  int *steps;
  CUDA_CHECK(cudaMalloc(&coef, 4 * n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&root, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&steps, n * sizeof(int)));
  corpus::fill(coef, 4 * (size_t)n, 1.0, 1.7, 1); // one real root each
  newton<<<(n + 255) / 256, 256>>>(coef, root, steps, n, 1e-6);
  newton<<<(n + 255) / 256, 256>>>(coef, root, steps, n, 1e-8);
  newton<<<(n + 255) / 256, 256>>>(coef, root, steps, n, 1e-10);
  corpus::printChecksum("root", root, n);
  cudaFree(coef);
  cudaFree(root);
  cudaFree(steps);
}
