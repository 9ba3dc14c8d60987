// The normal equations of a line fit to each of many curves: five sums in an
// array of structures, and the length behind a pointer.
#include "../corpus.h"

struct Sums {
  double n, sx, sy, sxx, sxy;
};

__global__ void accumulate(const double *x, const double *y, Sums *sums,
                           const int *length, int curves) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= curves)
    return;
  sums[c] = {0, 0, 0, 0, 0};
  for (int i = 0; i < *length; i++) {
    sums[c].n += 1.0;
    sums[c].sx += x[i];
    sums[c].sy += y[c * *length + i];
    sums[c].sxx += x[i] * x[i];
    sums[c].sxy += x[i] * y[c * *length + i];
  }
}

int main(int argc, char **argv) {
  int curves = 20000, length = 200;
  corpus::parseSize(argc, argv, "--n", &curves, 60);
  corpus::parseSize(argc, argv, "--length", &length, 31);
  double *x, *y;
  Sums *sums;
  int *d_length;
  CUDA_CHECK(cudaMalloc(&x, length * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&y, (size_t)curves * length * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&sums, curves * sizeof(Sums)));
  CUDA_CHECK(cudaMalloc(&d_length, sizeof(int)));
  CUDA_CHECK(
      cudaMemcpy(d_length, &length, sizeof(int), cudaMemcpyHostToDevice));
  corpus::fill(x, length, 0.0, 1.0, 1);
  corpus::fill(y, (size_t)curves * length, 0.0, 5.0, 2);
  for (int i = 0; i < 3; i++)
    accumulate<<<(curves + 255) / 256, 256>>>(x, y, sums, d_length, curves);
  corpus::printChecksum("sums", (double *)sums, (size_t)curves * 5);
  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFree(y));
  CUDA_CHECK(cudaFree(sums));
  CUDA_CHECK(cudaFree(d_length));
}
