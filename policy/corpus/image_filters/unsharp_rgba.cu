// Sharpens an RGBA picture: five taps for each of three channels, clamped to a
// byte, alpha copied; the border stays.
#include "../corpus.h"

__device__ unsigned char clampByte(int v) {
  return v < 0 ? 0 : (v > 255 ? 255 : v);
}

__global__ void sharpen(uchar4 *in, uchar4 *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int at = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[at] = in[at];
  } else {
    out[at].x = clampByte(5 * in[at].x - in[at - 1].x - in[at + 1].x -
                          in[at - width].x - in[at + width].x);
    out[at].y = clampByte(5 * in[at].y - in[at - 1].y - in[at + 1].y -
                          in[at - width].y - in[at + width].y);
    out[at].z = clampByte(5 * in[at].z - in[at - 1].z - in[at + 1].z -
                          in[at - width].z - in[at + width].z);
    out[at].w = in[at].w;
  }
}

int main(int argc, char **argv) {
  int width = 2560, height = 1440;
  corpus::parseSize(argc, argv, "--width", &width, 60);
  corpus::parseSize(argc, argv, "--height", &height, 31);
  size_t pixels = (size_t)width * height;
  uchar4 *in, *out;
  CUDA_CHECK(cudaMalloc(&in, pixels * sizeof(uchar4)));
  CUDA_CHECK(cudaMalloc(&out, pixels * sizeof(uchar4)));
  corpus::fill((unsigned char *)in, 4 * pixels, 60, 190, 4);
  dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
  for (int i = 0; i < 4; i++)
    sharpen<<<grid, block>>>(in, out, width, height);
  corpus::printChecksum("sharp", (unsigned char *)out, 4 * pixels);
  cudaFree(in);
  cudaFree(out);
}
