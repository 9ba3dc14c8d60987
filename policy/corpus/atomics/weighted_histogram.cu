// Histogram of weights by energy: 64 bins of float sums, the bin by a division.
#include "../corpus.h"

#define BINS 64

__global__ void spectrum(float *energy, float *weight, float *bins,
                         float lowest, float width, int events) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < events) {
    int bin = (int)((energy[e] - lowest) / width);
    if (bin >= 0 && bin < BINS)
      atomicAdd(&bins[bin], weight[e]);
  }
}

int main(int argc, char **argv) {
  int events = 3000000;
  corpus::parseSize(argc, argv, "--n", &events, 2001);
  float *energy, *weight, *bins;
  CUDA_CHECK(cudaMalloc(&energy, events * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&weight, events * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&bins, BINS * sizeof(float)));
  corpus::fill(energy, events, 0.0, 110.0, 1);
  corpus::fill(weight, events, 0.5, 1.5, 2);
  for (int i = 0; i < 3; i++) {
    CUDA_CHECK(cudaMemset(bins, 0, BINS * sizeof(float)));
    spectrum<<<(events + 127) / 128, 128>>>(energy, weight, bins, 2.0f, 1.625f,
                                            events);
  }
  corpus::printChecksum("spectrum", bins, BINS);
  cudaFree(energy);
  cudaFree(weight);
  cudaFree(bins);
  return 0;
}
