// Radar returns from polar to cartesian coordinates, with the level in decibel.
#include "../corpus.h"

struct Return {
  float range, azimuth;
};

__global__ void toCartesian(Return *returns, float *power, float2 *position,
                            float *decibel, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float rad = returns[i].azimuth * M_PI / 180.0;
  position[i].x = returns[i].range * cosf(rad);
  position[i].y = returns[i].range * sinf(rad);
  decibel[i] = 10.0f * log10f(power[i] * powf(returns[i].range, 4.0f));
}

int main(int argc, char **argv) {
  int n = 1 << 22;
  corpus::parseSize(argc, argv, "--n", &n, 2049);

  Return *returns;
  float *power, *decibel;
  float2 *position;
  CUDA_CHECK(cudaMalloc(&returns, n * sizeof(Return)));
  CUDA_CHECK(cudaMalloc(&power, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&position, n * sizeof(float2)));
  CUDA_CHECK(cudaMalloc(&decibel, n * sizeof(float)));
  corpus::fill((float *)returns, 2 * (size_t)n, 1.0, 360.0, 11);
  corpus::fill(power, n, 1e-9, 1e-6, 12);

  for (int i = 0; i < 5; i++)
    toCartesian<<<(n + 191) / 192, 192>>>(returns, power, position, decibel, n);

  corpus::printChecksum("position", (float *)position, 2 * (size_t)n);
  corpus::printChecksum("decibel", decibel, n);
  CUDA_CHECK(cudaFree(returns));
  CUDA_CHECK(cudaFree(power));
  CUDA_CHECK(cudaFree(position));
  CUDA_CHECK(cudaFree(decibel));
}
