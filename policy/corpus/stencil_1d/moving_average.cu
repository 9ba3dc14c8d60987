// Trailing moving average of a price series: each thread adds up its window.
#include "../corpus.h"

#define WINDOW 32

__global__ void movingAverage(const double *price, double *mean, int days) {
  int day = blockIdx.x * blockDim.x + threadIdx.x;
  if (day >= days)
    return;
  mean[day] = 0.0;
  int taken = 0;
  for (int back = 0; back < WINDOW; back++) {
    if (day - back >= 0) {
      mean[day] += price[day - back];
      taken++;
    }
  }
  mean[day] /= taken;
}

int main(int argc, char **argv) {
  int days = 1 << 21;
  corpus::parseSize(argc, argv, "--days", &days, 2001);
  double *price, *mean;
  CUDA_CHECK(cudaMalloc(&price, days * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&mean, days * sizeof(double)));
  corpus::fill(price, days, 90.0, 110.0, 11);
  for (int run = 0; run < 3; run++)
    movingAverage<<<(days + 127) / 128, 128>>>(price, mean, days);
  corpus::printChecksum("mean", mean, days);
  cudaFree(price);
  cudaFree(mean);
  return 0;
}
