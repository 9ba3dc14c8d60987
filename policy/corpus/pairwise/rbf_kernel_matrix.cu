// Matrix of Gaussian kernels between two sets of points with DIM features, in
// double; features lie side by side.
#include "../corpus.h"

constexpr int DIM = 12;

__global__ void rbf(const double *X, const double *Y, double *K, int m, int n,
                    double gamma) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n) {
    double d2 = 0;
    for (int f = 0; f < DIM; ++f)
      d2 += pow(X[i * DIM + f] - Y[j * DIM + f], 2.0);
    K[(long)i * n + j] = exp(-gamma * d2);
  }
}

int main(int argc, char **argv) {
  int m = 2500, n = 2000;
  corpus::parseSize(argc, argv, "--m", &m, 37);
  corpus::parseSize(argc, argv, "--n", &n, 41);
  double *X, *Y, *K;
  CUDA_CHECK(cudaMalloc(&X, sizeof(double) * m * DIM));
  CUDA_CHECK(cudaMalloc(&Y, sizeof(double) * n * DIM));
  CUDA_CHECK(cudaMalloc(&K, sizeof(double) * m * n));
  corpus::fill(X, (size_t)m * DIM, -1.0, 1.0, 2);
  corpus::fill(Y, (size_t)n * DIM, -1.0, 1.0, 3);
  dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
  for (int t = 0; t < 3; t++)
    rbf<<<grid, block>>>(X, Y, K, m, n, 0.25 * (t + 1));
  corpus::printChecksum("K", K, (size_t)m * n);
  cudaFree(X);
  cudaFree(Y);
  cudaFree(K);
}
