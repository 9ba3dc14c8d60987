// Arithmetic Asian call by simulated paths (Box-Muller); payoffs per path, then
// their mean by a block tree with a double atomic.
#include "../corpus.h"

__global__ void simulatePaths(double *payoff, int paths, int steps, double s0,
                              double strike, double r, double sigma, double T) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < paths) {
    unsigned long long state = 88172645463325252ULL + 0x9E3779B97F4A7C15ULL * p;
    double s = s0;
    double mean = 0;
    for (int k = 0; k < steps; k++) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      double u1 = ((state >> 32) + 1.0) / 4294967297.0;
      double u2 = (state & 0xffffffffULL) / 4294967296.0;
      double z = sqrt(-2.0 * log(u1)) * cos(6.283185307179586 * u2);
      double dt = T / steps;
      s *= exp((r - 0.5 * sigma * sigma) * dt + sigma * sqrt(dt) * z);
      mean += s / steps;
    }
    payoff[p] = exp(-r * T) * fmax(mean - strike, 0.0);
  }
}

__global__ void addPayoffs(double *payoff, double *total, int paths) {
  __shared__ double part[256];
  int p = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = p < paths ? payoff[p] : 0.0;
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    if (threadIdx.x % (2 * s) == 0)
      part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    atomicAdd(total, part[0]);
}

int main(int argc, char **argv) {
  int paths = 600000, steps = 16;
  corpus::parseSize(argc, argv, "--paths", &paths, 500);
  corpus::parseSize(argc, argv, "--steps", &steps, 6);
  double *payoff, *total;
  CUDA_CHECK(cudaMalloc(&payoff, paths * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&total, sizeof(double)));
  CUDA_CHECK(cudaMemset(total, 0, sizeof(double)));
  for (int i = 0; i < 3; i++) {
    simulatePaths<<<(paths + 255) / 256, 256>>>(payoff, paths, steps, 100.0,
                                                95.0 + 5 * i, 0.03, 0.25, 1.0);
    addPayoffs<<<(paths + 255) / 256, 256>>>(payoff, total, paths);
  }
  corpus::printChecksum("total", total, 1);
  cudaFree(payoff);
  cudaFree(total);
}
