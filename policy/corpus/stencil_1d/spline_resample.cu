// Resamples a signal at another rate with cubic (Catmull-Rom) interpolation
// of four neighbours.
#include "../corpus.h"

__device__ float tap(const float *s, int i, int n) {
  if (i < 0)
    i = 0;
  if (i > n - 1)
    i = n - 1;
  return s[i];
}

__global__ void resample(const float *in, int n_in, float *out, int n_out,
                         float ratio) {
  int j = blockDim.x * blockIdx.x + threadIdx.x;
  if (j < n_out) {
    float pos = j * ratio;
    int i = (int)floorf(pos);
    float f = pos - i;
    float a = tap(in, i - 1, n_in), b = tap(in, i, n_in);
    float c = tap(in, i + 1, n_in), d = tap(in, i + 2, n_in);
    out[j] = b + 0.5 * f *
                     (c - a +
                      f * (2.0 * a - 5.0 * b + 4.0 * c - d +
                           f * (3.0 * (b - c) + d - a)));
  }
}

int main(int argc, char **argv) {
  int n_in = 1 << 22;
  corpus::parseSize(argc, argv, "--n", &n_in, 3001);
  int n_out = n_in + n_in / 3;
  float *in, *out;
  CUDA_CHECK(cudaMalloc(&in, sizeof(float) * n_in));
  CUDA_CHECK(cudaMalloc(&out, sizeof(float) * n_out));
  corpus::fill(in, n_in, -2.0, 2.0, 31);
  resample<<<n_out / 512 + 1, 512>>>(in, n_in, out, n_out, 0.75f);
  resample<<<n_out / 512 + 1, 512>>>(in, n_in, out, n_out, 0.75f);
  resample<<<n_out / 512 + 1, 512>>>(in, n_in, out, n_out, 0.75f);
  corpus::printChecksum("resampled", out, n_out);
  cudaFree(in);
  cudaFree(out);
}
