// Product of doubles, subtracted from C as in a block of a factorisation; the
// scale is read from memory in each turn.
#include "../corpus.h"

__global__ void schurUpdate(double *L, double *U, double *C,
                            const double *scale, int m, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < m && col < n) {
    double c = C[row * n + col];
    for (int p = 0; p < k; p++)
      c -= *scale * L[row * k + p] * U[p * n + col];
    C[row * n + col] = c;
  }
}

int main(int argc, char **argv) {
  int m = 960, n = 1024, k = 320;
  corpus::parseSize(argc, argv, "--m", &m, 25);
  corpus::parseSize(argc, argv, "--n", &n, 40);
  corpus::parseSize(argc, argv, "--k", &k, 17);
  double *L, *U, *C, *scale;
  CUDA_CHECK(cudaMalloc(&L, (size_t)m * k * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&U, (size_t)k * n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&C, (size_t)m * n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&scale, sizeof(double)));
  corpus::fill(L, (size_t)m * k, 0.0, 1.0, 1);
  corpus::fill(U, (size_t)k * n, 0.0, 1.0, 2);
  corpus::fill(C, (size_t)m * n, 5000.0, 6000.0, 3);
  corpus::fill(scale, 1, 0.5, 1.0, 4);
  dim3 block(16, 8), grid((n + 15) / 16, (m + 7) / 8);
  for (int panel = 0; panel < 4; panel++)
    schurUpdate<<<grid, block>>>(L, U, C, scale, m, n, k);
  corpus::printChecksum("C", C, (size_t)m * n);
  for (double *buffer : {L, U, C, scale})
    CUDA_CHECK(cudaFree(buffer));
}
