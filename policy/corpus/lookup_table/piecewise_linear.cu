// Piecewise linear function: the piece by binary search among 33 breakpoints.
#include "../corpus.h"

#define KNOTS 33

__global__ void interpolate(const float *x, const float *knot,
                            const float *value, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int low = 0, high = KNOTS - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (knot[middle] <= x[i])
      low = middle;
    else
      high = middle;
  }
  float t = (x[i] - knot[low]) / (knot[low + 1] - knot[low]);
  y[i] = value[low] + t * (value[low + 1] - value[low]);
}

int main(int argc, char **argv) {
  int n = 8000000;
  corpus::parseSize(argc, argv, "--n", &n, 2000);
  float knots[KNOTS], values[KNOTS];
  for (int k = 0; k < KNOTS; k++) {
    knots[k] = (float)(k * k) / 10.0f;
    values[k] = sinf(0.5f * k) + 2.0f;
  }
  float *x, *y, *d_knots, *d_values;
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&d_knots, sizeof(knots)));
  CUDA_CHECK(cudaMalloc(&d_values, sizeof(values)));
  CUDA_CHECK(cudaMemcpy(d_knots, knots, sizeof(knots), cudaMemcpyHostToDevice));
  CUDA_CHECK(
      cudaMemcpy(d_values, values, sizeof(values), cudaMemcpyHostToDevice));
  corpus::fill(x, n, 0.0, 102.0, 5);
  for (int i = 0; i < 4; i++)
    interpolate<<<(n + 255) / 256, 256>>>(x, d_knots, d_values, y, n);
  corpus::printChecksum("y", y, n);
  cudaFree(x);
  cudaFree(y);
  cudaFree(d_knots);
  cudaFree(d_values);
  return 0;
}
