// C = alpha * A * B + beta * C, stored by columns through a macro as in
// Fortran.
#include "../corpus.h"

#define IDX2C(i, j, ld) (((j) * (ld)) + (i))

__global__ void sgemm(int m, int n, int k, float alpha, const float *A, int lda,
                      const float *B, int ldb, float beta, float *C, int ldc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n)
    return;
  float dot = 0.0f;
  for (int l = 0; l < k; l++)
    dot += A[IDX2C(i, l, lda)] * B[IDX2C(l, j, ldb)];
  C[IDX2C(i, j, ldc)] = alpha * dot + beta * C[IDX2C(i, j, ldc)];
}

int main(int argc, char **argv) {
  int m = 768, n = 640, k = 896;
  corpus::parseSize(argc, argv, "--m", &m, 33);
  corpus::parseSize(argc, argv, "--n", &n, 18);
  corpus::parseSize(argc, argv, "--k", &k, 25);
  float *A, *B, *C;
  CUDA_CHECK(cudaMalloc((void **)&A, (size_t)m * k * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void **)&B, (size_t)k * n * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void **)&C, (size_t)m * n * sizeof(float)));
  corpus::fill(A, (size_t)m * k, 0.0, 1.0, 1);
  corpus::fill(B, (size_t)k * n, 0.0, 1.0, 2);
  corpus::fill(C, (size_t)m * n, 0.0, 1.0, 3);
  dim3 threads(16, 16);
  dim3 grid((m + 15) / 16, (n + 15) / 16);
  for (int i = 0; i < 4; i++)
    sgemm<<<grid, threads>>>(m, n, k, 0.5f, A, m, B, k, 0.25f, C, m);
  corpus::printChecksum("C", C, (size_t)m * n);
  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
  return 0;
}
