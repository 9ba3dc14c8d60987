// Implied volatility by bisection of the Black-Scholes call price.
#include "../corpus.h"

__device__ float normalCdf(float x) { return 0.5 * erfc(-x / sqrt(2.0)); }

__device__ float callPrice(float s, float k, float t, float r, float sigma) {
  float d1 = (logf(s / k) + (r + 0.5 * sigma * sigma) * t) / (sigma * sqrtf(t));
  float d2 = d1 - sigma * sqrtf(t);
  return s * normalCdf(d1) - k * expf(-r * t) * normalCdf(d2);
}

__global__ void impliedVolatility(float *spot, float *strike, float *maturity,
                                  float *market, float *sigma, int options) {
  int o = blockIdx.x * blockDim.x + threadIdx.x;
  if (o >= options)
    return;
  float low = 0.01f, high = 3.0f;
  for (int step = 0; step < 24; step++) {
    float mid = (low + high) / 2;
    if (callPrice(spot[o], strike[o], maturity[o], 0.02f, mid) < market[o])
      low = mid;
    else
      high = mid;
  }
  sigma[o] = low;
}

int main(int argc, char **argv) {
  int options = 300000;
  corpus::parseSize(argc, argv, "--options", &options, 500);
  float *a[5];
  for (float *&p : a)
    CUDA_CHECK(cudaMalloc(&p, options * sizeof(float)));
  corpus::fill(a[0], options, 90.0, 110.0, 1);
  corpus::fill(a[1], options, 90.0, 110.0, 2);
  corpus::fill(a[2], options, 0.5, 2.0, 3);
  corpus::fill(a[3], options, 25.0, 45.0, 4);
  for (int i = 0; i < 3; i++)
    impliedVolatility<<<(options + 127) / 128, 128>>>(a[0], a[1], a[2], a[3],
                                                      a[4], options);
  corpus::printChecksum("sigma", a[4], options);
  for (float *p : a)
    cudaFree(p);
}
