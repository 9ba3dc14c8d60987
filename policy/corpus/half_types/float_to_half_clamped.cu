// Floats to half and bfloat16 at once, clamped to what a half can hold, in a
// grid-stride loop.
#include "../corpus.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void convert(const float *in, __half *halves, __nv_bfloat16 *brains,
                        long long n) {
  long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += step) {
    float v = in[i];
    if (v > 65504.0f)
      v = 65504.0f;
    else if (v < -65504.0f)
      v = -65504.0f;
    halves[i] = __float2half_rn(v);
    brains[i] = __float2bfloat16_rn(v);
  }
}

int main(int argc, char **argv) {
  int n = 10000019;
  corpus::parseSize(argc, argv, "--n", &n, 5000);
  float *in;
  __half *halves;
  __nv_bfloat16 *brains;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&halves, n * sizeof(__half)));
  CUDA_CHECK(cudaMalloc(&brains, n * sizeof(__nv_bfloat16)));
  corpus::fill(in, n, -80000.0, 80000.0, 6);
  for (int i = 0; i < 4; i++)
    convert<<<528, 256>>>(in, halves, brains, n);
  corpus::printChecksum("halves", halves, n);
  corpus::printChecksum("brains", brains, n);
  cudaFree(in);
  cudaFree(halves);
  cudaFree(brains);
}
