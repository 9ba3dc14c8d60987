// SPH density and pressure: every particle against every other, with the poly-6
// kernel within a radius.
#include "../corpus.h"

struct Particle {
  float x, y, z;
  float mass, density, pressure;
};

__global__ void density(Particle *particles, int count, float h,
                        float restDensity, float stiffness) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    float sum = 0.0f;
    for (int j = 0; j < count; j++) {
      float dx = particles[i].x - particles[j].x;
      float dy = particles[i].y - particles[j].y;
      float dz = particles[i].z - particles[j].z;
      float r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < h * h)
        sum += particles[j].mass * 315.0 / (64.0 * 3.14159265 * pow(h, 9)) *
               pow(h * h - r2, 3);
    }
    particles[i].density = sum;
    particles[i].pressure = stiffness * (sum - restDensity);
  }
}

int main(int argc, char **argv) {
  int count = 3000;
  corpus::parseSize(argc, argv, "--particles", &count, 120);
  Particle *particles;
  CUDA_CHECK(cudaMalloc(&particles, count * sizeof(Particle)));
  corpus::fill((float *)particles, 6 * (size_t)count, 0.0, 1.0, 1);
  density<<<(count + 127) / 128, 128>>>(particles, count, 0.15f, 1.0f, 2.0f);
  density<<<(count + 127) / 128, 128>>>(particles, count, 0.20f, 1.0f, 2.0f);
  density<<<(count + 127) / 128, 128>>>(particles, count, 0.25f, 1.0f, 2.0f);
  corpus::printChecksum("particles", (float *)particles, 6 * (size_t)count);
  cudaFree(particles);
}
