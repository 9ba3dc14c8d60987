// Log density of the beta distribution at each observation, in double; the
// normalising constant is worked out again by every thread.
#include "../corpus.h"

template <typename Real>
__global__ void betaLogDensity(const Real *x, Real *density, Real alpha,
                               Real beta, long n) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Real norm = lgamma(alpha) + lgamma(beta) - lgamma(alpha + beta);
    density[i] =
        (alpha - Real(1)) * log(x[i]) + (beta - Real(1)) * log1p(-x[i]) - norm;
  }
}

int main(int argc, char **argv) {
  int n = 2000003;
  corpus::parseSize(argc, argv, "--n", &n, 900);

  double *x, *density;
  CUDA_CHECK(cudaMalloc(&x, sizeof *x * n));
  CUDA_CHECK(cudaMalloc(&density, sizeof *density * n));
  corpus::fill(x, n, 0.01, 0.99, 31);

  int block = 320;
  for (int trial = 0; trial < 3; trial++)
    betaLogDensity<double>
        <<<(n + block - 1) / block, block>>>(x, density, 2.5, 0.75, n);

  corpus::printChecksum("log density", density, n);
  cudaFree(x);
  cudaFree(density);
  return 0;
}
