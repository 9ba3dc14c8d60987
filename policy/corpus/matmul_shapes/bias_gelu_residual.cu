// out = residual + swish(X * W + bias): the product with all that follows it.
#include "../corpus.h"

__global__ void fusedLinear(const float *__restrict__ X,
                            const float *__restrict__ W,
                            const float *__restrict__ bias,
                            const float *__restrict__ residual,
                            float *__restrict__ out, unsigned tokens,
                            unsigned in, unsigned width) {
  unsigned c = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned t = blockIdx.y;
  if (c < width && t < tokens) {
    float z = bias[c];
    for (unsigned k = 0; k < in; k++)
      z += X[t * in + k] * W[k * width + c];
    out[t * width + c] = residual[t * width + c] + z / (1.0 + exp(-z));
  }
}

int main(int argc, char **argv) {
  int tokens = 1000, in = 400, width = 1000;
  corpus::parseSize(argc, argv, "--tokens", &tokens, 19);
  corpus::parseSize(argc, argv, "--in", &in, 30);
  corpus::parseSize(argc, argv, "--n", &width, 41);
  float *X, *W, *bias, *residual, *out;
  CUDA_CHECK(cudaMalloc(&X, sizeof(float) * tokens * in));
  CUDA_CHECK(cudaMalloc(&W, sizeof(float) * in * width));
  CUDA_CHECK(cudaMalloc(&bias, sizeof(float) * width));
  CUDA_CHECK(cudaMalloc(&residual, sizeof(float) * tokens * width));
  CUDA_CHECK(cudaMalloc(&out, sizeof(float) * tokens * width));
  corpus::fill(X, (size_t)tokens * in, -1.0, 1.0, 1);
  corpus::fill(W, (size_t)in * width, -0.2, 0.2, 2);
  corpus::fill(bias, width, -0.5, 0.5, 3);
  corpus::fill(residual, (size_t)tokens * width, 2.0, 4.0, 4);
  dim3 grid((width + 127) / 128, tokens);
  for (int layer = 0; layer < 3; layer++)
    fusedLinear<<<grid, 128>>>(X, W, bias, residual, out, tokens, in, width);
  corpus::printChecksum("out", out, (size_t)tokens * width);
  for (float *buffer : {X, W, bias, residual, out})
    CUDA_CHECK(cudaFree(buffer));
  return 0;
}
