// A Chebyshev series at each point by Clenshaw's recurrence; the coefficients
// are read from global memory.
#include "../corpus.h"

__device__ float clenshaw(const float *coef, int degree, float t) {
  float b1 = 0.f, b2 = 0.f;
  for (int k = degree; k > 0; k--) {
    float b0 = 2 * t * b1 - b2 + coef[k];
    b2 = b1;
    b1 = b0;
  }
  return t * b1 - b2 + coef[0];
}

__global__ void evaluate(float *points, float *coef, float *values, int degree,
                         float low, float high, int n) {
  int id = threadIdx.x + blockIdx.x * blockDim.x;
  if (id < n) {
    float t = (2 * points[id] - (low + high)) / (high - low);
    values[id] = clenshaw(coef, degree, t);
  }
}

int main(int argc, char **argv) {
  int n = 6 * 1000 * 1000, degree = 24;
  corpus::parseSize(argc, argv, "--n", &n, 1500);
  corpus::parseSize(argc, argv, "--degree", &degree, 24);

  float *points, *coef, *values;
  CUDA_CHECK(cudaMalloc((void **)&points, sizeof(float) * n));
  CUDA_CHECK(cudaMalloc((void **)&values, sizeof(float) * n));
  CUDA_CHECK(cudaMalloc((void **)&coef, sizeof(float) * (degree + 1)));
  corpus::fill(points, n, -2.0, 5.0);
  corpus::fill(coef, degree + 1, -1.0, 1.0, 2);

  const int tpb = 128;
  for (int rep = 0; rep < 4; rep++)
    evaluate<<<(n + tpb - 1) / tpb, tpb>>>(points, coef, values, degree, -2.0f,
                                           5.0f, n);
  CUDA_CHECK(cudaDeviceSynchronize());
  corpus::printChecksum("series", values, n);

  cudaFree(points);
  cudaFree(coef);
  cudaFree(values);
  return 0;
}
