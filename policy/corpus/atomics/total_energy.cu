// Kinetic energy of all bodies, one double that every thread adds to.
#include "../corpus.h"

__device__ double energy;

__global__ void addEnergy(const double *mass, const double *vx,
                          const double *vy, int bodies) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b < bodies)
    atomicAdd(&energy, 0.5 * mass[b] * (pow(vx[b], 2) + pow(vy[b], 2)));
}

int main(int argc, char **argv) {
  int bodies = 800000;
  corpus::parseSize(argc, argv, "--n", &bodies, 1777);
  double *mass, *vx, *vy;
  CUDA_CHECK(cudaMalloc(&mass, bodies * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&vx, bodies * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&vy, bodies * sizeof(double)));
  corpus::fill(mass, bodies, 0.5, 2.0, 1);
  corpus::fill(vx, bodies, -1.0, 1.0, 2);
  corpus::fill(vy, bodies, -1.0, 1.0, 3);
  for (int i = 0; i < 3; i++) {
    double total = 0.0;
    CUDA_CHECK(cudaMemcpyToSymbol(energy, &total, sizeof(double)));
    addEnergy<<<(bodies + 255) / 256, 256>>>(mass, vx, vy, bodies);
    CUDA_CHECK(cudaMemcpyFromSymbol(&total, energy, sizeof(double)));
    printf("energy %.6e\n", total);
  }
  cudaFree(mass);
  cudaFree(vx);
  cudaFree(vy);
  return 0;
}
