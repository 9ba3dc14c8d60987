// The lower triangle of alpha * A * A^T + beta * C, as BLAS's syrk.
#include "../corpus.h"

__global__ void syrk(double *A, double *C, double alpha, double beta, int n,
                     int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j <= i) {
    C[i * n + j] *= beta;
    for (int p = 0; p < k; p++)
      C[i * n + j] += alpha * A[i * k + p] * A[j * k + p];
  }
}

int main(int argc, char **argv) {
  int n = 1024, k = 200;
  corpus::parseSize(argc, argv, "--n", &n, 45);
  corpus::parseSize(argc, argv, "--k", &k, 19);
  double *A, *C;
  CUDA_CHECK(cudaMalloc(&A, (size_t)n * k * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&C, (size_t)n * n * sizeof(double)));
  corpus::fill(A, (size_t)n * k, 0.0, 1.0, 1);
  corpus::fill(C, (size_t)n * n, 0.0, 1.0, 2);
  dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8);
  for (int i = 0; i < 3; i++) {
    syrk<<<grid, block>>>(A, C, 1.5, 0.5, n, k);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("C", C, (size_t)n * n);
  CUDA_CHECK(cudaFree(A));
  CUDA_CHECK(cudaFree(C));
  return 0;
}
