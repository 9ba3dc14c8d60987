// Bytes through a table of 256 bytes, made on the host.
#include "../corpus.h"

__global__ void applyLut(const unsigned char *in, const unsigned char *lut,
                         unsigned char *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = lut[in[i]];
}

int main(int argc, char **argv) {
  int n = 40000000;
  corpus::parseSize(argc, argv, "--n", &n, 5000);
  unsigned char table[256];
  for (int v = 0; v < 256; v++)
    table[v] = (unsigned char)(255.0 * pow(v / 255.0, 1.0 / 2.2) + 0.5);
  unsigned char *in, *lut, *out;
  CUDA_CHECK(cudaMalloc(&in, n));
  CUDA_CHECK(cudaMalloc(&out, n));
  CUDA_CHECK(cudaMalloc(&lut, 256));
  CUDA_CHECK(cudaMemcpy(lut, table, 256, cudaMemcpyHostToDevice));
  corpus::fill(in, n, 0, 256, 1);
  for (int i = 0; i < 4; i++)
    applyLut<<<(n + 255) / 256, 256>>>(in, lut, out, n);
  corpus::printChecksum("out", out, n);
  cudaFree(in);
  cudaFree(lut);
  cudaFree(out);
  return 0;
}
