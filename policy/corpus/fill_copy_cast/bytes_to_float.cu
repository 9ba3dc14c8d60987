// Bytes of interleaved pixels to normalised floats: mean and deviation of the
// channel, which is the index modulo three.
#include "../corpus.h"

struct Normalisation {
  float mean[3], deviation[3];
};

__global__ void toFloat(const unsigned char *pixels, float *tensor,
                        Normalisation norm, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    tensor[i] = (pixels[i] / 255.0f - norm.mean[i % 3]) / norm.deviation[i % 3];
}

int main(int argc, char **argv) {
  int count = 18000000;
  corpus::parseSize(argc, argv, "--n", &count, 3003);
  Normalisation norm = {{0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f}};
  unsigned char *pixels;
  float *tensor;
  CUDA_CHECK(cudaMalloc(&pixels, count));
  CUDA_CHECK(cudaMalloc(&tensor, count * sizeof(float)));
  corpus::fill(pixels, count, 0, 256, 8);
  for (int i = 0; i < 4; i++)
    toFloat<<<(count + 255) / 256, 256>>>(pixels, tensor, norm, count);
  corpus::printChecksum("tensor", tensor, count);
  cudaFree(pixels);
  cudaFree(tensor);
  return 0;
}
