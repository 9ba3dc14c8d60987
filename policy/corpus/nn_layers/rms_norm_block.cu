// RMS normalisation with a gain, a block a row: squares by a tree, then the row
// is read once more.
#include "../corpus.h"

const int THREADS = 256;

__global__ void rmsNorm(float *x, float *gain, float *y, int cols, float eps) {
  __shared__ float partial[THREADS];
  int row = blockIdx.x;
  int tid = threadIdx.x;
  float sum = 0.0f;
  for (int c = tid; c < cols; c += THREADS)
    sum += x[row * cols + c] * x[row * cols + c];
  partial[tid] = sum;
  __syncthreads();
  for (int s = THREADS / 2; s > 0; s = s / 2) {
    if (tid < s)
      partial[tid] = partial[tid] + partial[tid + s];
    __syncthreads();
  }
  for (int c = tid; c < cols; c += THREADS)
    y[row * cols + c] =
        x[row * cols + c] / sqrtf(partial[0] / cols + eps) * gain[c];
}

int main(int argc, char **argv) {
  int rows = 4096, cols = 2000;
  corpus::parseSize(argc, argv, "--rows", &rows, 6);
  corpus::parseSize(argc, argv, "--cols", &cols, 300);
  size_t n = (size_t)rows * cols;
  float *x, *gain, *y;
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&gain, cols * sizeof(float)));
  corpus::fill(x, n, -1.0, 2.0, 1);
  corpus::fill(gain, cols, 0.9, 1.1, 2);
  for (int i = 0; i < 4; i++)
    rmsNorm<<<rows, THREADS>>>(x, gain, y, cols, 1e-6f);
  corpus::printChecksum("y", y, n);
  cudaFree(x);
  cudaFree(y);
  cudaFree(gain);
}
