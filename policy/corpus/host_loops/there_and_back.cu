// Particles on springs to the origin: all of them are copied to the device and
// back for each step, though the host never looks at them in between.
#include "../corpus.h"

__global__ void swing(double *position, double *velocity, int n, double dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    velocity[i] -= dt * position[i];
    position[i] += dt * velocity[i];
  }
}

int main(int argc, char **argv) {
  int n = 250000;
  corpus::parseSize(argc, argv, "--n", &n, 700);
  size_t bytes = n * sizeof(double);
  double *hostPosition = (double *)malloc(bytes);
  double *hostVelocity = (double *)malloc(bytes);
  corpus::Lcg random(2);
  for (int i = 0; i < n; i++) {
    hostPosition[i] = random.uniform();
    hostVelocity[i] = 0.0;
  }
  double *position, *velocity;
  CUDA_CHECK(cudaMalloc(&position, bytes));
  CUDA_CHECK(cudaMalloc(&velocity, bytes));
  for (int step = 0; step < 40; step++) {
    CUDA_CHECK(
        cudaMemcpy(position, hostPosition, bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(
        cudaMemcpy(velocity, hostVelocity, bytes, cudaMemcpyHostToDevice));
    swing<<<(n + 255) / 256, 256>>>(position, velocity, n, 0.05);
    CUDA_CHECK(
        cudaMemcpy(hostPosition, position, bytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(
        cudaMemcpy(hostVelocity, velocity, bytes, cudaMemcpyDeviceToHost));
  }
  double sum = 0, energy = 0;
  for (int i = 0; i < n; i++) {
    sum += hostPosition[i] * (1 + i % 5);
    energy += hostVelocity[i] * hostVelocity[i];
  }
  printf("position: %.6e energy: %.6e\n", sum, energy);
  cudaFree(position);
  cudaFree(velocity);
  free(hostPosition);
  free(hostVelocity);
}
