// Electrostatic potential of point charges on a plane of grid points; charges
// in an array of structures that every thread walks through.
#include "../corpus.h"

struct Charge {
  float x, y, z, q;
};

__global__ void potentialMap(Charge *charges, int numCharges, float *potential,
                             int side, float spacing, float height) {
  int gx = blockIdx.x * blockDim.x + threadIdx.x;
  int gy = blockIdx.y * blockDim.y + threadIdx.y;
  if (gx < side && gy < side) {
    for (int c = 0; c < numCharges; c++) {
      float dx = gx * spacing - charges[c].x;
      float dy = gy * spacing - charges[c].y;
      float dz = height - charges[c].z;
      potential[gy * side + gx] +=
          charges[c].q / sqrt(dx * dx + dy * dy + dz * dz + 1e-4);
    }
  }
}

int main(int argc, char **argv) {
  int side = 512, numCharges = 400;
  corpus::parseSize(argc, argv, "--side", &side, 23);
  corpus::parseSize(argc, argv, "--charges", &numCharges, 30);
  Charge *charges;
  float *potential;
  CUDA_CHECK(cudaMalloc(&charges, numCharges * sizeof(Charge)));
  CUDA_CHECK(cudaMalloc(&potential, sizeof(float) * side * side));
  CUDA_CHECK(cudaMemset(potential, 0, sizeof(float) * side * side));
  corpus::fill((float *)charges, 4 * (size_t)numCharges, 0.0, 10.0, 7);
  dim3 block(16, 8), grid((side + 15) / 16, (side + 7) / 8);
  for (int slice = 0; slice < 3; slice++)
    potentialMap<<<grid, block>>>(charges, numCharges, potential, side,
                                  10.0f / side, 2.0f * slice);
  corpus::printChecksum("potential", potential, (size_t)side * side);
  cudaFree(charges);
  cudaFree(potential);
}
