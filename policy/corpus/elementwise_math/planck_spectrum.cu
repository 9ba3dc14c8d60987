// Spectral radiance of black bodies: a row for each temperature, a column for
// each wavelength. Everything in double, the powers by pow.
#include "../corpus.h"

const double PLANCK = 6.62607015e-34;
const double LIGHT = 2.99792458e8;
const double BOLTZMANN = 1.380649e-23;

__global__ void radiance(const double *kelvin, const double *microns,
                         double *result, int bodies, int waves) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  int b = blockIdx.y * blockDim.y + threadIdx.y;
  if (w >= waves || b >= bodies)
    return;
  double lambda = microns[w] * 1e-6;
  double scale = 2.0 * PLANCK * pow(LIGHT, 2.0) / pow(lambda, 5.0);
  double x = PLANCK * LIGHT / (lambda * BOLTZMANN * kelvin[b]);
  result[b * waves + w] = scale / (exp(x) - 1.0);
}

int main(int argc, char **argv) {
  int bodies = 1000, waves = 2000;
  corpus::parseSize(argc, argv, "--bodies", &bodies, 9);
  corpus::parseSize(argc, argv, "--n", &waves, 77);

  double *kelvin, *microns, *result;
  CUDA_CHECK(cudaMalloc(&kelvin, bodies * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&microns, waves * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&result, (size_t)bodies * waves * sizeof(double)));
  corpus::fill(kelvin, bodies, 300.0, 9000.0, 3);
  corpus::fill(microns, waves, 0.4, 12.0, 4);

  dim3 block(16, 16);
  dim3 grid((waves + block.x - 1) / block.x, (bodies + block.y - 1) / block.y);
  for (int i = 0; i < 3; i++)
    radiance<<<grid, block>>>(kelvin, microns, result, bodies, waves);

  corpus::printChecksum("radiance", result, (size_t)bodies * waves);
  cudaFree(kelvin);
  cudaFree(microns);
  cudaFree(result);
  return 0;
}
