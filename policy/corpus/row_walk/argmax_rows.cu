// Predicted class and its margin over the first class, a thread per sample.
#include "../corpus.h"

__global__ void argmax(float *scores, int *label, float *margin, int samples,
                       int classes) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= samples)
    return;
  const float *row = scores + (size_t)s * classes;
  int best = 0;
  for (int k = 1; k < classes; ++k) {
    if (row[k] > row[best])
      best = k;
  }
  label[s] = best;
  margin[s] = row[best] - row[0];
}

int main(int argc, char **argv) {
  int samples = 20000, classes = 1000;
  corpus::parseSize(argc, argv, "--n", &samples, 100);
  corpus::parseSize(argc, argv, "--classes", &classes, 37);

  float *scores, *margin;
  int *label;
  CUDA_CHECK(cudaMalloc(&scores, sizeof(float) * samples * classes));
  CUDA_CHECK(cudaMalloc(&margin, sizeof(float) * samples));
  CUDA_CHECK(cudaMalloc(&label, sizeof(int) * samples));
  corpus::fill(scores, (size_t)samples * classes, -10.0, 10.0);

  int threads = 64;
  for (int epoch = 0; epoch < 3; epoch++) {
    argmax<<<(samples + threads - 1) / threads, threads>>>(
        scores, label, margin, samples, classes);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("label", label, samples);
  corpus::printChecksum("margin", margin, samples);
  cudaFree(scores);
  cudaFree(margin);
  cudaFree(label);
}
