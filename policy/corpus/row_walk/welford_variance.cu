// Mean and variance of each series by Welford's method: a division each step.
#include "../corpus.h"

__global__ void welford(const double *series, double2 *stats, int numSeries,
                        int length) {
  const int id = blockDim.x * blockIdx.x + threadIdx.x;
  if (id < numSeries) {
    double mean = 0, m2 = 0;
    for (int t = 0; t < length; ++t) {
      double x = series[id * length + t];
      double delta = x - mean;
      mean += delta / (t + 1);
      m2 += delta * (x - mean);
    }
    stats[id] = make_double2(mean, m2 / (length - 1));
  }
}

int main(int argc, char **argv) {
  int numSeries = 10000, length = 500;
  corpus::parseSize(argc, argv, "--n", &numSeries, 77);
  corpus::parseSize(argc, argv, "--length", &length, 40);
  double *series;
  double2 *stats;
  CUDA_CHECK(cudaMalloc(&series, sizeof(double) * numSeries * length));
  CUDA_CHECK(cudaMalloc(&stats, sizeof(double2) * numSeries));
  corpus::fill(series, (size_t)numSeries * length, 90.0, 110.0, 6);
  dim3 block(128);
  dim3 grid((numSeries + block.x - 1) / block.x);
  for (int i = 0; i < 3; i++)
    welford<<<grid, block>>>(series, stats, numSeries, length);
  corpus::printChecksum("stats", (double *)stats, 2 * (size_t)numSeries);
  cudaFree(series);
  cudaFree(stats);
}
