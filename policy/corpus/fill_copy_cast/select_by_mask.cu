// out = mask ? a : b, and the mask as floats; two kernels over the same
// threads.
#include "../corpus.h"

__global__ void selectValues(const bool *mask, const double *a, const double *b,
                             double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = mask[i] ? a[i] : b[i];
}

__global__ void maskToFloat(const bool *mask, const double *out, float *weight,
                            int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    weight[i] = mask[i] ? (float)out[i] : 0.0f;
}

int main(int argc, char **argv) {
  int n = 3000000;
  corpus::parseSize(argc, argv, "--n", &n, 2100);
  bool *mask;
  double *a, *b, *out;
  float *weight;
  CUDA_CHECK(cudaMalloc(&mask, n));
  CUDA_CHECK(cudaMalloc(&a, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&b, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&out, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&weight, n * sizeof(float)));
  corpus::fill((unsigned char *)mask, n, 0, 2, 1);
  corpus::fill(a, n, -1.0, 1.0, 2);
  corpus::fill(b, n, 5.0, 6.0, 3);
  int blocks = (n + 255) / 256;
  for (int i = 0; i < 4; i++) {
    selectValues<<<blocks, 256>>>(mask, a, b, out, n);
    maskToFloat<<<blocks, 256>>>(mask, out, weight, n);
  }
  corpus::printChecksum("out", out, n);
  corpus::printChecksum("weight", weight, n);
  CUDA_CHECK(cudaFree(mask));
  CUDA_CHECK(cudaFree(a));
  CUDA_CHECK(cudaFree(b));
  CUDA_CHECK(cudaFree(out));
  CUDA_CHECK(cudaFree(weight));
}
