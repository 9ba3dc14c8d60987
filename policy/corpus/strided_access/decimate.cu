// Takes every stride-th sample of a signal, averaged with its two neighbours.
#include "../corpus.h"

__global__ void decimate(const float *signal, float *thin, int stride,
                         int offset, int kept) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kept)
    return;
  const float *at = signal + (size_t)i * stride + offset;
  thin[i] = 0.25 * at[-1] + 0.5 * at[0] + 0.25 * at[1];
}

int main(int argc, char **argv) {
  int kept = 1000000, stride = 24;
  corpus::parseSize(argc, argv, "--n", &kept, 777);
  corpus::parseSize(argc, argv, "--stride", &stride, 5);
  int offset = stride / 2;
  size_t length = (size_t)kept * stride + 2;

  float *signal, *thin;
  CUDA_CHECK(cudaMalloc(&signal, length * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&thin, kept * sizeof(float)));
  corpus::fill(signal, length, -1.0, 1.0, 55);

  for (int i = 0; i < 5; i++)
    decimate<<<(kept + 95) / 96, 96>>>(signal, thin, stride, offset, kept);
  CUDA_CHECK(cudaGetLastError());
  corpus::printChecksum("thin", thin, kept);
  CUDA_CHECK(cudaFree(signal));
  CUDA_CHECK(cudaFree(thin));
  return 0;
}
