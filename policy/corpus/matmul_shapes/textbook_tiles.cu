// The tiled product of the textbooks: square tiles in shared memory, one output
// a thread, the factor's tile stored across.
#include "../corpus.h"

#define TW 16

__global__ void tiledMatMul(float *M, float *N, float *P, int rows, int inner,
                            int cols) {
  __shared__ float Ms[TW][TW];
  __shared__ float Ns[TW][TW];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TW + ty;
  int col = blockIdx.x * TW + tx;
  float value = 0;
  for (int ph = 0; ph < (inner + TW - 1) / TW; ++ph) {
    if (row < rows && ph * TW + tx < inner)
      Ms[tx][ty] = M[row * inner + ph * TW + tx];
    else
      Ms[tx][ty] = 0.0f;
    if (col < cols && ph * TW + ty < inner)
      Ns[ty][tx] = N[(ph * TW + ty) * cols + col];
    else
      Ns[ty][tx] = 0.0f;
    __syncthreads();
    for (int k = 0; k < TW; ++k)
      value += Ms[k][ty] * Ns[k][tx];
    __syncthreads();
  }
  if (row < rows && col < cols)
    P[row * cols + col] = value;
}

int main(int argc, char **argv) {
  int rows = 1000, inner = 800, cols = 1100;
  corpus::parseSize(argc, argv, "--rows", &rows, 33);
  corpus::parseSize(argc, argv, "--inner", &inner, 20);
  corpus::parseSize(argc, argv, "--n", &cols, 37);
  float *M, *N, *P;
  CUDA_CHECK(cudaMalloc((void **)&M, sizeof(float) * rows * inner));
  CUDA_CHECK(cudaMalloc((void **)&N, sizeof(float) * inner * cols));
  CUDA_CHECK(cudaMalloc((void **)&P, sizeof(float) * rows * cols));
  corpus::fill(M, (size_t)rows * inner, 0.0, 1.0, 5);
  corpus::fill(N, (size_t)inner * cols, 0.0, 1.0, 6);
  dim3 dimGrid((cols + TW - 1) / TW, (rows + TW - 1) / TW, 1);
  dim3 dimBlock(TW, TW, 1);
  for (int i = 0; i < 4; i++)
    tiledMatMul<<<dimGrid, dimBlock>>>(M, N, P, rows, inner, cols);
  corpus::printChecksum("P", P, (size_t)rows * cols);
  cudaFree(M);
  cudaFree(N);
  cudaFree(P);
  return 0;
}
