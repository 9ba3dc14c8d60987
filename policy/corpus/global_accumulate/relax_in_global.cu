// A few steps of a stiff decay for each cell; concentration and time are read
// and written in global memory in every step, the rates are read again.
#include "../corpus.h"

__global__ void relax(double *concentration, double *elapsed, double *rates,
                      int cells, int steps) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < cells) {
    for (int s = 0; s < steps; s++) {
      double dt = 0.01 / (rates[0] + rates[1] * concentration[c]);
      concentration[c] -= dt * rates[0] * concentration[c];
      concentration[c] += dt * rates[2];
      elapsed[c] += dt;
    }
  }
}

int main(int argc, char **argv) {
  int cells = 400000, steps = 30;
  corpus::parseSize(argc, argv, "--n", &cells, 500);
  corpus::parseSize(argc, argv, "--steps", &steps, 10);
  double *concentration, *elapsed, *rates;
  CUDA_CHECK(cudaMalloc(&concentration, cells * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&elapsed, cells * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&rates, 3 * sizeof(double)));
  corpus::fill(concentration, cells, 0.5, 2.0, 1);
  corpus::fill(rates, 3, 0.5, 1.5, 2);
  CUDA_CHECK(cudaMemset(elapsed, 0, cells * sizeof(double)));
  for (int i = 0; i < 4; i++)
    relax<<<(cells + 255) / 256, 256>>>(concentration, elapsed, rates, cells,
                                        steps);
  corpus::printChecksum("concentration", concentration, cells);
  corpus::printChecksum("elapsed", elapsed, cells);
  CUDA_CHECK(cudaFree(concentration));
  CUDA_CHECK(cudaFree(elapsed));
  CUDA_CHECK(cudaFree(rates));
  return 0;
}
