// Log-softmax and negative log-likelihood per row, a block a row: maximum and
// sum by trees in shared memory.
#include "../corpus.h"

#define BLOCK 128

__global__ void nllLoss(const float *logits, const long long *target,
                        float *logProbs, float *loss, int classes) {
  __shared__ float buffer[BLOCK];
  const float *row = logits + (size_t)blockIdx.x * classes;
  int tid = threadIdx.x;
  float m = -1e30f;
  for (int c = tid; c < classes; c += BLOCK)
    m = fmaxf(m, row[c]);
  buffer[tid] = m;
  __syncthreads();
  for (int s = BLOCK / 2; s > 0; s >>= 1) {
    if (tid < s)
      buffer[tid] = fmaxf(buffer[tid], buffer[tid + s]);
    __syncthreads();
  }
  m = buffer[0];
  __syncthreads();
  float sum = 0;
  for (int c = tid; c < classes; c += BLOCK)
    sum += expf(row[c] - m);
  buffer[tid] = sum;
  __syncthreads();
  for (int s = BLOCK / 2; s > 0; s >>= 1) {
    if (tid < s)
      buffer[tid] += buffer[tid + s];
    __syncthreads();
  }
  for (int c = tid; c < classes; c += BLOCK)
    logProbs[(size_t)blockIdx.x * classes + c] = row[c] - m - logf(buffer[0]);
  if (tid == 0)
    loss[blockIdx.x] = m + logf(buffer[0]) - row[target[blockIdx.x]];
}

int main(int argc, char **argv) {
  int rows = 8192, classes = 1000;
  corpus::parseSize(argc, argv, "--rows", &rows, 9);
  corpus::parseSize(argc, argv, "--classes", &classes, 150);
  size_t n = (size_t)rows * classes;
  float *logits, *logProbs, *loss;
  long long *target;
  CUDA_CHECK(cudaMalloc(&logits, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&logProbs, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&loss, rows * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&target, rows * sizeof(long long)));
  corpus::fill(logits, n, -4.0, 4.0, 9);
  corpus::fill(target, rows, 0, classes, 10);
  for (int i = 0; i < 3; i++)
    nllLoss<<<rows, BLOCK>>>(logits, target, logProbs, loss, classes);
  corpus::printChecksum("loss", loss, rows);
  corpus::printChecksum("logProbs", logProbs, n);
  cudaFree(logits);
  cudaFree(logProbs);
  cudaFree(loss);
  cudaFree(target);
}
