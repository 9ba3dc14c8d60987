// A catalogue as an array of structures; three of its eight members are used.
#include "../corpus.h"

struct Star {
  float rightAscension, declination;
  float parallax, properMotion;
  float flux, fluxError;
  float temperature, metallicity;
};

__global__ void absoluteMagnitude(Star *stars, float *magnitude,
                                  float *luminosity, int numStars) {
  int s = blockDim.x * blockIdx.x + threadIdx.x;
  if (s < numStars) {
    float apparent = -2.5f * log10f(stars[s].flux);
    magnitude[s] = apparent + 5.0f * (log10f(stars[s].parallax) + 1.0f);
    luminosity[s] = powf(10.0f, 0.4f * (4.74f - magnitude[s])) *
                    powf(stars[s].temperature / 5772.0f, 4.0f);
  }
}

int main(int argc, char **argv) {
  int numStars = 2000000;
  corpus::parseSize(argc, argv, "--n", &numStars, 1201);

  Star *stars;
  float *magnitude, *luminosity;
  CUDA_CHECK(cudaMalloc(&stars, numStars * sizeof(Star)));
  CUDA_CHECK(cudaMalloc(&magnitude, numStars * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&luminosity, numStars * sizeof(float)));
  corpus::fill((float *)stars, (size_t)numStars * 8, 0.01, 4.0, 1);

  for (int i = 0; i < 4; i++)
    absoluteMagnitude<<<(numStars + 255) / 256, 256>>>(stars, magnitude,
                                                       luminosity, numStars);
  corpus::printChecksum("magnitude", magnitude, numStars);
  corpus::printChecksum("luminosity", luminosity, numStars);
  cudaFree(stars);
  cudaFree(magnitude);
  cudaFree(luminosity);
  return 0;
}
