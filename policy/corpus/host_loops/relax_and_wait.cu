// Relaxation of a small periodic field, the two halves of a step in kernels of
// their own, the host waits after each launch and checks for errors.
#include "../corpus.h"

__global__ void residual(const double *u, const double *f, double *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int left = i == 0 ? n - 1 : i - 1;
    int right = i == n - 1 ? 0 : i + 1;
    r[i] = f[i] - (2.1 * u[i] - u[left] - u[right]);
  }
}

__global__ void correct(double *u, const double *r, int n, double omega) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    u[i] += omega * r[i] / 2.1;
}

int main(int argc, char **argv) {
  int n = 100000, steps = 40;
  corpus::parseSize(argc, argv, "--n", &n, 600);
  corpus::parseSize(argc, argv, "--steps", &steps, 6);
  double *u, *f, *r;
  CUDA_CHECK(cudaMalloc(&u, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&f, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&r, n * sizeof(double)));
  CUDA_CHECK(cudaMemset(u, 0, n * sizeof(double)));
  corpus::fill(f, n, 0.0, 1.0, 8);
  int blocks = (n + 255) / 256;
  for (int step = 0; step < steps; step++) {
    residual<<<blocks, 256>>>(u, f, r, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    correct<<<blocks, 256>>>(u, r, n, 0.8);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  corpus::printChecksum("u", u, n);
  cudaFree(u);
  cudaFree(f);
  cudaFree(r);
}
