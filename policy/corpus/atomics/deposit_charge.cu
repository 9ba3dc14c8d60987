// Deposits particles on a periodic grid: bilinear weights, four atomics each.
#include "../corpus.h"

__global__ void deposit(const float2 *position, const float *charge,
                        float *grid, int side, int particles) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= particles)
    return;
  float gx = position[p].x * side, gy = position[p].y * side;
  int ix = (int)floorf(gx), iy = (int)floorf(gy);
  float fx = gx - ix, fy = gy - iy;
  for (int dy = 0; dy <= 1; dy++) {
    for (int dx = 0; dx <= 1; dx++) {
      float w = (dx ? fx : 1.0f - fx) * (dy ? fy : 1.0f - fy);
      atomicAdd(&grid[(iy + dy) % side * side + (ix + dx) % side],
                w * charge[p]);
    }
  }
}

int main(int argc, char **argv) {
  int particles = 1500000, side = 128;
  corpus::parseSize(argc, argv, "--n", &particles, 1003);
  corpus::parseSize(argc, argv, "--side", &side, 16);
  float2 *position;
  float *charge, *grid;
  CUDA_CHECK(cudaMalloc(&position, particles * sizeof(float2)));
  CUDA_CHECK(cudaMalloc(&charge, particles * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&grid, side * side * sizeof(float)));
  corpus::fill((float *)position, 2 * (size_t)particles, 0.0, 0.9999, 15);
  corpus::fill(charge, particles, 0.5, 1.0, 16);
  for (int step = 0; step < 3; step++) {
    CUDA_CHECK(cudaMemset(grid, 0, side * side * sizeof(float)));
    deposit<<<(particles + 191) / 192, 192>>>(position, charge, grid, side,
                                              particles);
  }
  corpus::printChecksum("grid", grid, (size_t)side * side);
  CUDA_CHECK(cudaFree(position));
  CUDA_CHECK(cudaFree(charge));
  CUDA_CHECK(cudaFree(grid));
}
