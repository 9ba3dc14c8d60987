// Burgers' equation, first-order upwind flux by sign, periodic domain by
// modulo.
#include "../corpus.h"

typedef double real_t;

__global__ void burgers(real_t *u, real_t *unew, real_t dtdx, long cells) {
  long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
  long stride = (long)gridDim.x * blockDim.x;
  for (; i < cells; i += stride) {
    real_t um = u[(i + cells - 1) % cells];
    real_t up = u[(i + 1) % cells];
    if (u[i] > 0)
      unew[i] = u[i] - u[i] * dtdx * (u[i] - um);
    else
      unew[i] = u[i] - u[i] * dtdx * (up - u[i]);
  }
}

int main(int argc, char **argv) {
  int cells = 3 << 20;
  corpus::parseSize(argc, argv, "--cells", &cells, 4001);
  real_t *u[2];
  for (int k = 0; k < 2; k++)
    CUDA_CHECK(cudaMalloc(&u[k], cells * sizeof(real_t)));
  corpus::fill(u[0], cells, -1.0, 1.0, 17);
  for (int t = 0; t < 4; t++)
    burgers<<<264, 256>>>(u[t % 2], u[(t + 1) % 2], 0.3, cells);
  CUDA_CHECK(cudaDeviceSynchronize());
  corpus::printChecksum("velocity", u[0], cells);
  cudaFree(u[0]);
  cudaFree(u[1]);
}
