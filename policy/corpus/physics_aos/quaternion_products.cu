// Products of quaternions that lie as four doubles each in a flat array.
#include "../corpus.h"

__global__ void multiplyQuaternions(const double *p, const double *q, double *r,
                                    int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[4 * i] = p[4 * i] * q[4 * i] - p[4 * i + 1] * q[4 * i + 1] -
               p[4 * i + 2] * q[4 * i + 2] - p[4 * i + 3] * q[4 * i + 3];
    r[4 * i + 1] = p[4 * i] * q[4 * i + 1] + p[4 * i + 1] * q[4 * i] +
                   p[4 * i + 2] * q[4 * i + 3] - p[4 * i + 3] * q[4 * i + 2];
    r[4 * i + 2] = p[4 * i] * q[4 * i + 2] - p[4 * i + 1] * q[4 * i + 3] +
                   p[4 * i + 2] * q[4 * i] + p[4 * i + 3] * q[4 * i + 1];
    r[4 * i + 3] = p[4 * i] * q[4 * i + 3] + p[4 * i + 1] * q[4 * i + 2] -
                   p[4 * i + 2] * q[4 * i + 1] + p[4 * i + 3] * q[4 * i];
  }
}

int main(int argc, char **argv) {
  int n = 1200000;
  corpus::parseSize(argc, argv, "--n", &n, 700);
  size_t bytes = 4 * sizeof(double) * n;
  double *p, *q, *r;
  CUDA_CHECK(cudaMalloc(&p, bytes));
  CUDA_CHECK(cudaMalloc(&q, bytes));
  CUDA_CHECK(cudaMalloc(&r, bytes));
  corpus::fill(p, 4 * (size_t)n, -1.0, 1.0, 4);
  corpus::fill(q, 4 * (size_t)n, -1.0, 1.0, 5);
  for (int i = 0; i < 4; i++)
    multiplyQuaternions<<<(n + 127) / 128, 128>>>(p, q, r, n);
  corpus::printChecksum("products", r, 4 * (size_t)n);
  cudaFree(p);
  cudaFree(q);
  cudaFree(r);
}
