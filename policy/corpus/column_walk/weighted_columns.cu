// Weighted sum of each column, the sum kept in global memory.
#include "../corpus.h"

__global__ void weightedColumns(double *data, double *weight, double *result,
                                int nRows, int nCols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col < nCols) {
    result[col] = 0.0;
    for (int row = 0; row < nRows; row++)
      result[col] += weight[row] * data[row * nCols + col];
    result[col] /= nRows;
  }
}

int main(int argc, char **argv) {
  int nRows = 8000, nCols = 1100;
  corpus::parseSize(argc, argv, "--rows", &nRows, 60);
  corpus::parseSize(argc, argv, "--n", &nCols, 55);
  double *data, *weight, *result;
  CUDA_CHECK(cudaMalloc((void **)&data, sizeof(double) * nRows * nCols));
  CUDA_CHECK(cudaMalloc((void **)&weight, sizeof(double) * nRows));
  CUDA_CHECK(cudaMalloc((void **)&result, sizeof(double) * nCols));
  corpus::fill(data, (size_t)nRows * nCols, 0.0, 10.0, 1);
  corpus::fill(weight, nRows, 0.0, 1.0, 2);
  for (int i = 0; i < 3; i++)
    weightedColumns<<<(nCols + 255) / 256, 256>>>(data, weight, result, nRows,
                                                  nCols);
  corpus::printChecksum("result", result, nCols);
  cudaFree(data);
  cudaFree(weight);
  cudaFree(result);
  return 0;
}
