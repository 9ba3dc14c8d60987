// 3 x 3 taps that are `rate` apart, reflected at the edges.
#include "../corpus.h"

__device__ int reflect(int p, int size) {
  if (p < 0)
    p = -p;
  if (p >= size)
    p = 2 * size - 2 - p;
  return p;
}

__global__ void dilated(const float *in, const float *weights, float *out,
                        int rows, int cols, int rate) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) {
    float total = 0.f;
#pragma unroll
    for (int dr = -1; dr <= 1; dr++)
      for (int dc = -1; dc <= 1; dc++)
        total += in[reflect(r + dr * rate, rows) * cols +
                    reflect(c + dc * rate, cols)] *
                 weights[(dr + 1) * 3 + dc + 1];
    out[r * cols + c] = tanhf(total);
  }
}

int main(int argc, char **argv) {
  int rows = 1600, cols = 2100, rate = 6;
  corpus::parseSize(argc, argv, "--rows", &rows, 40);
  corpus::parseSize(argc, argv, "--n", &cols, 33);
  corpus::parseSize(argc, argv, "--rate", &rate, 6);
  size_t count = (size_t)rows * cols;
  const float weights[9] = {.1f, .2f, .1f, .2f, -.9f, .2f, .1f, .2f, .1f};
  float *in, *out, *w;
  CUDA_CHECK(cudaMalloc(&in, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&w, sizeof(weights)));
  CUDA_CHECK(cudaMemcpy(w, weights, sizeof(weights), cudaMemcpyHostToDevice));
  corpus::fill(in, count, 0.0, 3.0, 13);
  dim3 block(64, 2), grid((cols + 63) / 64, (rows + 1) / 2);
  for (int i = 0; i < 3; i++)
    dilated<<<grid, block>>>(in, w, out, rows, cols, rate);
  corpus::printChecksum("out", out, count);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  CUDA_CHECK(cudaFree(w));
}
