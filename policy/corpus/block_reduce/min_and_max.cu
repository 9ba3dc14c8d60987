// Smallest and largest value of each block in one loop over two arrays, then
// over the blocks by one block.
#include "../corpus.h"

__global__ void minMax(const float *low, const float *high, float *outLow,
                       float *outHigh, int n) {
  __shared__ float smallest[256];
  __shared__ float largest[256];
  unsigned tid = threadIdx.x;
  float mn = INFINITY, mx = -INFINITY;
  for (unsigned i = blockIdx.x * 256 + tid; i < n; i += gridDim.x * 256) {
    mn = fminf(mn, low[i]);
    mx = fmaxf(mx, high[i]);
  }
  smallest[tid] = mn;
  largest[tid] = mx;
  __syncthreads();
  for (unsigned s = 128; s > 0; s >>= 1) {
    if (tid < s) {
      smallest[tid] = fminf(smallest[tid], smallest[tid + s]);
      largest[tid] = fmaxf(largest[tid], largest[tid + s]);
    }
    __syncthreads();
  }
  if (tid == 0) {
    outLow[blockIdx.x] = smallest[0];
    outHigh[blockIdx.x] = largest[0];
  }
}

int main(int argc, char **argv) {
  int n = 20000000;
  corpus::parseSize(argc, argv, "--n", &n, 6001);
  int blocks = std::min((n + 255) / 256, 2112);
  float *x, *low, *high, *result;
  CUDA_CHECK(cudaMalloc(&x, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&low, blocks * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&high, blocks * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&result, 2 * sizeof(float)));
  corpus::fill(x, n, -50.0, 150.0, 2);
  for (int i = 0; i < 3; i++) {
    minMax<<<blocks, 256>>>(x, x, low, high, n);
    minMax<<<1, 256>>>(low, high, result, result + 1, blocks);
  }
  corpus::printChecksum("range", result, 2);
  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFree(low));
  CUDA_CHECK(cudaFree(high));
  CUDA_CHECK(cudaFree(result));
}
