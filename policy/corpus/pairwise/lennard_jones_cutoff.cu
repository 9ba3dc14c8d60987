// Lennard-Jones forces between all pairs within a cutoff, periodic box.
#include "../corpus.h"

__global__ void forces(float4 *atoms, float3 *force, int n, float box,
                       float cutoff, float epsilon, float sigma) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  force[i].x = force[i].y = force[i].z = 0.0f;
  for (int j = 0; j < n; j++) {
    if (j == i)
      continue;
    float dx = atoms[i].x - atoms[j].x;
    float dy = atoms[i].y - atoms[j].y;
    float dz = atoms[i].z - atoms[j].z;
    dx -= box * rintf(dx / box);
    dy -= box * rintf(dy / box);
    dz -= box * rintf(dz / box);
    float r2 = dx * dx + dy * dy + dz * dz + 0.01f;
    if (r2 < cutoff * cutoff) {
      float s6 = powf(sigma * sigma / r2, 3.0f);
      float f = 24.0 * epsilon * (2.0 * s6 * s6 - s6) / r2;
      force[i].x += f * dx;
      force[i].y += f * dy;
      force[i].z += f * dz;
    }
  }
}

int main(int argc, char **argv) {
  int n = 8000;
  corpus::parseSize(argc, argv, "--atoms", &n, 150);
  float4 *atoms;
  float3 *force;
  CUDA_CHECK(cudaMalloc(&atoms, n * sizeof(float4)));
  CUDA_CHECK(cudaMalloc(&force, n * sizeof(float3)));
  corpus::fill((float *)atoms, 4 * (size_t)n, 0.0, 20.0, 1);
  for (int step = 0; step < 3; step++)
    forces<<<(n + 63) / 64, 64>>>(atoms, force, n, 20.0f, 5.0f, 0.5f, 1.0f);
  corpus::printChecksum("force", (float *)force, 3 * (size_t)n);
  cudaFree(atoms);
  cudaFree(force);
}
