// Scales each row to 0..255 by its own minimum and maximum; floats to bytes.
#include "../corpus.h"

struct Range {
  float low, high;
};

__device__ Range rangeOf(const float *row, int n) {
  Range r = {row[0], row[0]};
  for (int i = 1; i < n; i++) {
    r.low = min(r.low, row[i]);
    r.high = max(r.high, row[i]);
  }
  return r;
}

__global__ void minMaxScale(const float *in, unsigned char *out, int rows,
                            int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    Range range = rangeOf(in + r * n, n);
    for (int i = 0; i < n; i++)
      out[r * n + i] = (unsigned char)((in[r * n + i] - range.low) * 255.0 /
                                       (range.high - range.low + 1e-6));
  }
}

int main(int argc, char **argv) {
  int rows = 6000, n = 1500;
  corpus::parseSize(argc, argv, "--rows", &rows, 39);
  corpus::parseSize(argc, argv, "--n", &n, 65);
  float *in;
  unsigned char *out;
  CUDA_CHECK(cudaMalloc(&in, sizeof(float) * rows * n));
  CUDA_CHECK(cudaMalloc(&out, (size_t)rows * n));
  corpus::fill(in, (size_t)rows * n, -40.0, 60.0, 3);
  for (int i = 0; i < 3; i++) {
    minMaxScale<<<(rows + 31) / 32, 32>>>(in, out, rows, n);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("bytes", out, (size_t)rows * n);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
}
