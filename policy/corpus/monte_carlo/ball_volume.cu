// Volume of a ten-dimensional ball by sampling; each thread keeps its own LCG
// and its own count.
#include "../corpus.h"

__global__ void sampleBall(unsigned int *hits, int samples, int threads) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < threads) {
    unsigned int seed = 1234567u + tid * 747796405u;
    hits[tid] = 0;
    for (int s = 0; s < samples; s++) {
      float norm = 0.0f;
      for (int d = 0; d < 10; d++) {
        seed = seed * 1664525u + 1013904223u;
        float u = (seed >> 24) / 128.0f - 1.0f;
        norm += u * u;
      }
      if (sqrtf(norm) < 1.5f)
        hits[tid]++;
    }
  }
}

int main(int argc, char **argv) {
  int threads = 1 << 18, samples = 64;
  corpus::parseSize(argc, argv, "--threads", &threads, 200);
  corpus::parseSize(argc, argv, "--samples", &samples, 20);
  unsigned int *hits;
  CUDA_CHECK(cudaMalloc(&hits, threads * sizeof(unsigned int)));
  for (int i = 0; i < 3; i++)
    sampleBall<<<(threads + 255) / 256, 256>>>(hits, samples, threads);
  corpus::printChecksum("hits", hits, threads);
  cudaFree(hits);
}
