// Two-dimensional random walks on a lattice with xorshift states in memory;
// the visits of the end points are counted.
#include "../corpus.h"

__device__ unsigned xorshift(unsigned *state) {
  unsigned s = *state;
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  *state = s;
  return s;
}

__global__ void walk(unsigned *states, int *x, int *y, unsigned *visits,
                     int walkers, int steps, int side) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= walkers)
    return;
  for (int s = 0; s < steps; s++) {
    switch (xorshift(&states[w]) & 3) {
    case 0:
      x[w] = (x[w] + 1) % side;
      break;
    case 1:
      x[w] = (x[w] + side - 1) % side;
      break;
    case 2:
      y[w] = (y[w] + 1) % side;
      break;
    default:
      y[w] = (y[w] + side - 1) % side;
    }
  }
  atomicAdd(&visits[y[w] * side + x[w]], 1);
}

int main(int argc, char **argv) {
  int walkers = 500000, steps = 50, side = 64;
  corpus::parseSize(argc, argv, "--walkers", &walkers, 400);
  corpus::parseSize(argc, argv, "--steps", &steps, 10);
  corpus::parseSize(argc, argv, "--side", &side, 9);
  unsigned *states, *visits;
  int *x, *y;
  CUDA_CHECK(cudaMalloc(&states, walkers * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&x, walkers * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&y, walkers * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&visits, side * side * sizeof(unsigned)));
  CUDA_CHECK(cudaMemset(visits, 0, side * side * sizeof(unsigned)));
  corpus::fill(states, walkers, 1, 4294967295.0, 1);
  corpus::fill(x, walkers, 0, side, 2);
  corpus::fill(y, walkers, 0, side, 3);
  walk<<<(walkers + 127) / 128, 128>>>(states, x, y, visits, walkers, steps,
                                       side);
  walk<<<(walkers + 127) / 128, 128>>>(states, x, y, visits, walkers, steps,
                                       side);
  walk<<<(walkers + 127) / 128, 128>>>(states, x, y, visits, walkers, steps,
                                       side);
  corpus::printChecksum("visits", visits, (size_t)side * side);
  cudaFree(states);
  cudaFree(x);
  cudaFree(y);
  cudaFree(visits);
}
