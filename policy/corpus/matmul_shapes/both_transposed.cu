// C = A^T * B^T, the element through inline functions, 64-bit indices.
#include "../corpus.h"

__device__ __forceinline__ size_t at(size_t row, size_t col, size_t width) {
  return row * width + col;
}

__global__ void gemmTT(const float *A, const float *B, float *C, size_t M,
                       size_t N, size_t K) {
  size_t col = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  size_t row = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0;
    for (size_t k = 0; k < K; k++)
      sum += A[at(k, row, M)] * B[at(col, k, K)];
    C[at(row, col, N)] = sum;
  }
}

int main(int argc, char **argv) {
  int M = 700, N = 900, K = 500;
  corpus::parseSize(argc, argv, "--m", &M, 21);
  corpus::parseSize(argc, argv, "--n", &N, 35);
  corpus::parseSize(argc, argv, "--k", &K, 18);
  float *A, *B, *C;
  CUDA_CHECK(cudaMalloc(&A, sizeof(float) * K * M));
  CUDA_CHECK(cudaMalloc(&B, sizeof(float) * N * K));
  CUDA_CHECK(cudaMalloc(&C, sizeof(float) * M * N));
  corpus::fill(A, (size_t)K * M, 0.0, 1.0, 3);
  corpus::fill(B, (size_t)N * K, 0.0, 1.0, 4);
  dim3 threads(16, 16);
  dim3 blocks((N + 15) / 16, (M + 15) / 16);
  for (int i = 0; i < 4; i++)
    gemmTT<<<blocks, threads>>>(A, B, C, M, N, K);
  corpus::printChecksum("C", C, (size_t)M * N);
  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
}
