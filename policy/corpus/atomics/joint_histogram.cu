// Joint histogram of two grey images, 32 x 32 bins, for mutual information.
#include "../corpus.h"

__global__ void jointHistogram(const unsigned char *fixed,
                               const unsigned char *moving, unsigned int *joint,
                               int pixels) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < pixels) {
    const int a = fixed[p] / 8;
    const int b = moving[p] / 8;
    atomicAdd(&joint[a * 32 + b], 1u);
  }
}

int main(int argc, char **argv) {
  int pixels = 8000000;
  corpus::parseSize(argc, argv, "--n", &pixels, 4009);
  unsigned char *fixed, *moving;
  unsigned int *joint;
  CUDA_CHECK(cudaMalloc(&fixed, pixels));
  CUDA_CHECK(cudaMalloc(&moving, pixels));
  CUDA_CHECK(cudaMalloc(&joint, 1024 * sizeof(unsigned int)));
  corpus::fill(fixed, pixels, 60, 140, 1);
  corpus::fill(moving, pixels, 0, 256, 2);
  dim3 threads(256), blocks((pixels + threads.x - 1) / threads.x);
  for (int i = 0; i < 3; i++) {
    CUDA_CHECK(cudaMemsetAsync(joint, 0, 1024 * sizeof(unsigned int)));
    jointHistogram<<<blocks, threads>>>(fixed, moving, joint, pixels);
  }
  corpus::printChecksum("joint", joint, 1024);
  CUDA_CHECK(cudaFree(fixed));
  CUDA_CHECK(cudaFree(moving));
  CUDA_CHECK(cudaFree(joint));
  return 0;
}
