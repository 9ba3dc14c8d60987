// The hour at which each station was hottest, and how hot it was; stations lie
// side by side. Results are kept in global memory.
#include "../corpus.h"

__global__ void hottest(short *celsius, int *hour, short *peak, int stations,
                        int hours) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s < stations) {
    peak[s] = celsius[s];
    hour[s] = 0;
    for (int h = 1; h < hours; h++) {
      if (celsius[h * stations + s] > peak[s]) {
        peak[s] = celsius[h * stations + s];
        hour[s] = h;
      }
    }
  }
}

int main(int argc, char **argv) {
  int stations = 5000, hours = 24 * 90;
  corpus::parseSize(argc, argv, "--n", &stations, 67);
  corpus::parseSize(argc, argv, "--hours", &hours, 48);
  size_t readings = (size_t)stations * hours;
  short *celsius, *peak;
  int *hour;
  CUDA_CHECK(cudaMalloc(&celsius, readings * sizeof(short)));
  CUDA_CHECK(cudaMalloc(&peak, stations * sizeof(short)));
  CUDA_CHECK(cudaMalloc(&hour, stations * sizeof(int)));
  corpus::fill(celsius, readings, -300, 450, 5);
  for (int i = 0; i < 5; i++) {
    hottest<<<(stations + 63) / 64, 64>>>(celsius, hour, peak, stations, hours);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("hour", hour, stations);
  corpus::printChecksum("peak", peak, stations);
  cudaFree(celsius);
  cudaFree(peak);
  cudaFree(hour);
  return 0;
}
