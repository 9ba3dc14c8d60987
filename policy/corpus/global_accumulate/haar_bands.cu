// Energy of each of eight Haar bands of a block of 256 samples, a thread per
// block of samples, band by band into global memory.
#include "../corpus.h"

#define BANDS 8

__global__ void haarEnergy(const int *samples, unsigned long long *energy,
                           int blocks) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b < blocks) {
    for (int band = 0; band < BANDS; band++) {
      energy[b * BANDS + band] = 0;
      int span = 1 << band;
      for (int start = 0; start + 2 * span <= 256; start += 2 * span) {
        int difference =
            samples[b * 256 + start + span] - samples[b * 256 + start];
        energy[b * BANDS + band] += (long long)difference * difference;
      }
    }
  }
}

int main(int argc, char **argv) {
  int blocks = 40000;
  corpus::parseSize(argc, argv, "--n", &blocks, 33);
  int *samples;
  unsigned long long *energy;
  CUDA_CHECK(cudaMalloc(&samples, (size_t)blocks * 256 * sizeof(int)));
  CUDA_CHECK(
      cudaMalloc(&energy, (size_t)blocks * BANDS * sizeof(unsigned long long)));
  corpus::fill(samples, (size_t)blocks * 256, -2000, 2000, 23);
  for (int i = 0; i < 3; i++)
    haarEnergy<<<(blocks + 63) / 64, 64>>>(samples, energy, blocks);
  corpus::printChecksum("energy", energy, (size_t)blocks * BANDS);
  cudaFree(samples);
  cudaFree(energy);
}
