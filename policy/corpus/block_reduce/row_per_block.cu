// A block for each row: threads stride along it, a tree adds up, the first
// thread stores the root mean square.
#include "../corpus.h"

const int BLOCK = 128;

__global__ void rowRms(const float *matrix, float *rms, int rows, int width) {
  __shared__ float sums[BLOCK];
  const int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < width; c += BLOCK) {
    float v = matrix[(size_t)row * width + c];
    sum += v * v;
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int offset = BLOCK / 2; offset > 0; offset >>= 1) {
    if (threadIdx.x < offset)
      sums[threadIdx.x] += sums[threadIdx.x + offset];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    rms[row] = sqrtf(sums[0] / width);
}

int main(int argc, char **argv) {
  int rows = 40000, width = 300;
  corpus::parseSize(argc, argv, "--n", &rows, 23);
  corpus::parseSize(argc, argv, "--width", &width, 150);
  float *matrix, *rms;
  CUDA_CHECK(cudaMalloc(&matrix, (size_t)rows * width * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&rms, rows * sizeof(float)));
  corpus::fill(matrix, (size_t)rows * width, -2.0, 2.0, 21);
  for (int i = 0; i < 4; i++)
    rowRms<<<rows, BLOCK>>>(matrix, rms, rows, width);
  corpus::printChecksum("rms", rms, rows);
  cudaFree(matrix);
  cudaFree(rms);
  return 0;
}
