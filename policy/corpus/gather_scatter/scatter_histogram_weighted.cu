// Scatter-add of weighted samples to the two nearest cells of a line (cloud in
// cell), with a float atomic for each.
#include "../corpus.h"

__global__ void deposit(const float *position, const float *charge,
                        float *density, int particles, int cells) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= particles)
    return;
  float x = position[p] * cells;
  int left = (int)x;
  float share = x - left;
  atomicAdd(&density[left % cells], charge[p] * (1.0 - share));
  atomicAdd(&density[(left + 1) % cells], charge[p] * share);
}

int main(int argc, char **argv) {
  int particles = 3000000, cells = 200000;
  corpus::parseSize(argc, argv, "--particles", &particles, 1500);
  corpus::parseSize(argc, argv, "--cells", &cells, 100);
  float *position, *charge, *density;
  CUDA_CHECK(cudaMalloc(&position, particles * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&charge, particles * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&density, cells * sizeof(float)));
  corpus::fill(position, particles, 0.0, 0.9999, 3);
  corpus::fill(charge, particles, 0.5, 1.5, 4);
  for (int step = 0; step < 3; step++) {
    CUDA_CHECK(cudaMemset(density, 0, cells * sizeof(float)));
    deposit<<<(particles + 511) / 512, 512>>>(position, charge, density,
                                              particles, cells);
  }
  corpus::printChecksum("density", density, cells);
  cudaFree(position);
  cudaFree(charge);
  cudaFree(density);
}
