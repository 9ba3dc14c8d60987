// Largest magnitude in each tile of 16 x 16 elements, a block of two dimensions
// and a tree with a modulo.
#include "../corpus.h"

#define TILE 16

__global__ void tileNorm(int *matrix, int *norm, int rows, int cols) {
  __shared__ int largest[TILE * TILE];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  int t = threadIdx.y * TILE + threadIdx.x;
  largest[t] = 0;
  if (x < cols && y < rows)
    largest[t] = abs(matrix[y * cols + x]);
  __syncthreads();
  for (int step = 1; step < TILE * TILE; step *= 2) {
    if (t % (2 * step) == 0)
      largest[t] = max(largest[t], largest[t + step]);
    __syncthreads();
  }
  if (t == 0)
    norm[blockIdx.y * gridDim.x + blockIdx.x] = largest[0];
}

int main(int argc, char **argv) {
  int rows = 3500, cols = 3100;
  corpus::parseSize(argc, argv, "--rows", &rows, 50);
  corpus::parseSize(argc, argv, "--n", &cols, 70);
  dim3 block(TILE, TILE);
  dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  int *matrix, *norm;
  CUDA_CHECK(cudaMalloc(&matrix, sizeof(int) * rows * cols));
  CUDA_CHECK(cudaMalloc(&norm, sizeof(int) * grid.x * grid.y));
  corpus::fill(matrix, (size_t)rows * cols, -1000000, 1000000, 33);
  for (int i = 0; i < 3; i++) {
    tileNorm<<<grid, block>>>(matrix, norm, rows, cols);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("norm", norm, (size_t)grid.x * grid.y);
  CUDA_CHECK(cudaFree(matrix));
  CUDA_CHECK(cudaFree(norm));
  return 0;
}
