// From uniform to normal numbers by a rational function in three ranges, and
// back by erf.
#include "../corpus.h"

__device__ float quantile(float p) {
  float q, r;
  if (p < 0.02425) {
    q = sqrtf(-2 * logf(p));
    return ((-0.00778f * q - 0.3224f) * q - 2.4008f) * q - 2.5497f +
           4.3747f / (1 + 0.5f * q);
  }
  if (p > 1 - 0.02425) {
    q = sqrtf(-2 * logf(1 - p));
    return -(((-0.00778f * q - 0.3224f) * q - 2.4008f) * q - 2.5497f +
             4.3747f / (1 + 0.5f * q));
  }
  q = p - 0.5;
  r = q * q;
  return (((-39.6968f * r + 220.946f) * r - 275.929f) * r + 2.50663f) * q /
         (((-54.4761f * r + 161.586f) * r - 155.699f) * r + 1);
}

__global__ void normals(const float *uniform, float *normal, float *back,
                        int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    normal[i] = quantile(uniform[i]);
    back[i] = 0.5f * (1.0f + erff(normal[i] / sqrtf(2.0f)));
  }
}

int main(int argc, char **argv) {
  int n = 5 << 20;
  corpus::parseSize(argc, argv, "--n", &n, 2500);
  float *uniform, *normal, *back;
  CUDA_CHECK(cudaMalloc(&uniform, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&normal, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&back, n * sizeof(float)));
  corpus::fill(uniform, n, 0.001, 0.999, 5);

  for (int run = 0; run < 3; run++)
    normals<<<1056, 128>>>(uniform, normal, back, n);
  corpus::printChecksum("normal", normal, n);
  corpus::printChecksum("back", back, n);
  cudaFree(uniform);
  cudaFree(normal);
  cudaFree(back);
}
