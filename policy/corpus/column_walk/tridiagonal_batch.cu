// Thomas algorithm for many tridiagonal systems that lie side by side: down and
// up again, with a scratch array.
#include "../corpus.h"

#define AT(k) ((k) * systems + s)

__global__ void thomas(const float *lower, const float *diag,
                       const float *upper, const float *rhs, float *scratch,
                       float *x, int systems, int n) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems)
    return;
  scratch[AT(0)] = upper[AT(0)] / diag[AT(0)];
  x[AT(0)] = rhs[AT(0)] / diag[AT(0)];
  for (int k = 1; k < n; k++) {
    scratch[AT(k)] =
        upper[AT(k)] / (diag[AT(k)] - lower[AT(k)] * scratch[AT(k - 1)]);
    x[AT(k)] = (rhs[AT(k)] - lower[AT(k)] * x[AT(k - 1)]) /
               (diag[AT(k)] - lower[AT(k)] * scratch[AT(k - 1)]);
  }
  for (int k = n - 2; k >= 0; k--)
    x[AT(k)] -= scratch[AT(k)] * x[AT(k + 1)];
}

int main(int argc, char **argv) {
  int systems = 16384, n = 200;
  corpus::parseSize(argc, argv, "--n", &systems, 50);
  corpus::parseSize(argc, argv, "--order", &n, 25);
  size_t count = (size_t)systems * n;
  float *b[6];
  for (int i = 0; i < 6; i++)
    CUDA_CHECK(cudaMalloc(&b[i], count * sizeof(float)));
  corpus::fill(b[0], count, -1.0, 0.0, 1);
  corpus::fill(b[1], count, 2.5, 3.5, 2);
  corpus::fill(b[2], count, -1.0, 0.0, 3);
  corpus::fill(b[3], count, 0.0, 1.0, 4);
  for (int i = 0; i < 3; i++)
    thomas<<<(systems + 127) / 128, 128>>>(b[0], b[1], b[2], b[3], b[4], b[5],
                                           systems, n);
  corpus::printChecksum("x", b[5], count);
  for (float *buffer : b)
    CUDA_CHECK(cudaFree(buffer));
  return 0;
}
