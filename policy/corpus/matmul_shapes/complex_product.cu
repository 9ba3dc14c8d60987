// Product of complex matrices, real and imaginary parts in turn.
#include "../corpus.h"

struct Complex {
  float re, im;
};

__device__ Complex multiply(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

__global__ void cgemm(Complex *A, Complex *B, Complex *C, int n) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && j < n) {
    C[i * n + j].re = 0;
    C[i * n + j].im = 0;
    for (int k = 0; k < n; k++) {
      Complex p = multiply(A[i * n + k], B[k * n + j]);
      C[i * n + j].re += p.re;
      C[i * n + j].im += p.im;
    }
  }
}

int main(int argc, char **argv) {
  int n = 512;
  corpus::parseSize(argc, argv, "--n", &n, 27);
  size_t count = (size_t)n * n;
  Complex *A, *B, *C;
  CUDA_CHECK(cudaMalloc(&A, count * sizeof(Complex)));
  CUDA_CHECK(cudaMalloc(&B, count * sizeof(Complex)));
  CUDA_CHECK(cudaMalloc(&C, count * sizeof(Complex)));
  corpus::fill((float *)A, 2 * count, -1.0, 1.0, 1);
  corpus::fill((float *)B, 2 * count, -1.0, 1.0, 2);
  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  for (int i = 0; i < 3; i++)
    cgemm<<<grid, block>>>(A, B, C, n);
  corpus::printChecksum("C", (float *)C, 2 * count);
  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
}
