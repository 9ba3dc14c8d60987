// Each thread does a contiguous chunk, as on a CPU: neighbouring threads are a
// chunk apart.
#include "../corpus.h"

const int CHUNK = 64;

__global__ void chunkEnergy(int *samples, long long *energy, int *clipped,
                            int n) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  int first = tid * CHUNK;
  if (first >= n)
    return;
  int last = min(first + CHUNK, n);
  energy[tid] = 0;
  for (int i = first; i < last; i++) {
    clipped[i] = max(-1000, min(samples[i], 1000));
    energy[tid] += (long long)samples[i] * samples[i];
  }
}

int main(int argc, char **argv) {
  int n = 8 * 1000 * 1000;
  corpus::parseSize(argc, argv, "--n", &n, 5001);
  int chunks = (n + CHUNK - 1) / CHUNK;

  int *samples, *clipped;
  long long *energy;
  CUDA_CHECK(cudaMalloc(&samples, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&clipped, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&energy, chunks * sizeof(long long)));
  corpus::fill(samples, n, -1500, 1500, 8);

  for (int i = 0; i < 3; i++)
    chunkEnergy<<<(chunks + 127) / 128, 128>>>(samples, energy, clipped, n);
  corpus::printChecksum("energy", energy, chunks);
  corpus::printChecksum("clipped", clipped, n);
  cudaFree(samples);
  cudaFree(clipped);
  cudaFree(energy);
  return 0;
}
