// Softmax over the first length[row] elements of each row, zeros behind them.
#include "../corpus.h"

__global__ void maskedSoftmax(float *logits, int *length, float *prob,
                              int numRows, int stride, float temperature) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < numRows) {
    int base = row * stride;
    float peak = logits[base];
    for (int i = 0; i < length[row]; i++)
      if (logits[base + i] > peak)
        peak = logits[base + i];
    float norm = 0.0f;
    for (int i = 0; i < length[row]; i++) {
      prob[base + i] = expf((logits[base + i] - peak) / temperature);
      norm += prob[base + i];
    }
    for (int i = 0; i < stride; i++) {
      if (i < length[row])
        prob[base + i] /= norm;
      else
        prob[base + i] = 0.0f;
    }
  }
}

int main(int argc, char **argv) {
  int numRows = 10000, stride = 512;
  corpus::parseSize(argc, argv, "--n", &numRows, 41);
  corpus::parseSize(argc, argv, "--stride", &stride, 64);
  float *logits, *prob;
  int *length;
  size_t total = (size_t)numRows * stride;
  CUDA_CHECK(cudaMalloc(&logits, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&prob, total * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&length, numRows * sizeof(int)));
  corpus::fill(logits, total, -8.0, 8.0, 71);
  corpus::fill(length, numRows, stride / 2, stride + 1, 72);
  for (int i = 0; i < 3; i++)
    maskedSoftmax<<<(numRows + 127) / 128, 128>>>(logits, length, prob, numRows,
                                                  stride, 0.7f);
  corpus::printChecksum("prob", prob, total);
  cudaFree(logits);
  cudaFree(prob);
  cudaFree(length);
  return 0;
}
