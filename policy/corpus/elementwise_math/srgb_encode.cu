// Linear light to sRGB, three planes of an image; a thread does its pixel in
// each of them.
#include "../corpus.h"

static __device__ inline float encode(float c) {
  if (c <= 0.0031308)
    return 12.92 * c;
  return 1.055 * powf(c, 1.0 / 2.4) - 0.055;
}

__global__ void srgbEncode(float *image, float *out, int width, int height,
                           float exposure) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px < width && py < height) {
    for (int plane = 0; plane < 3; plane++) {
      int at = plane * width * height + py * width + px;
      float v = image[at] * exp2f(exposure);
      v = v / (1.0 + v);
      out[at] = encode(v);
    }
  }
}

int main(int argc, char **argv) {
  int width = 1920, height = 1080;
  corpus::parseSize(argc, argv, "--n", &width, 61);
  corpus::parseSize(argc, argv, "--height", &height, 13);

  size_t elements = (size_t)3 * width * height;
  float *image, *out;
  CUDA_CHECK(cudaMalloc(&image, elements * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, elements * sizeof(float)));
  corpus::fill(image, elements, 0.0, 3.0);

  dim3 block(32, 4);
  dim3 grid((width + 31) / 32, (height + 3) / 4);
  for (int frame = 0; frame < 4; frame++)
    srgbEncode<<<grid, block>>>(image, out, width, height, -0.5f);
  corpus::printChecksum("srgb", out, elements);

  cudaFree(image);
  cudaFree(out);
}
