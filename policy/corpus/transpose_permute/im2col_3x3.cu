// im2col for a 3 x 3 window with padding one and stride two: a thread per
// channel and output pixel writes nine rows of the column matrix.
#include "../corpus.h"

__global__ void im2col(float *image, float *columns, int channels, int height,
                       int width, int outH, int outW) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < channels * outH * outW) {
    int ox = index % outW;
    int oy = index / outW % outH;
    int ch = index / outW / outH;
    for (int ky = 0; ky < 3; ky++) {
      for (int kx = 0; kx < 3; kx++) {
        int y = oy * 2 - 1 + ky;
        int x = ox * 2 - 1 + kx;
        int row = ch * 9 + ky * 3 + kx;
        if (y >= 0 && y < height && x >= 0 && x < width)
          columns[(row * outH + oy) * outW + ox] =
              image[(ch * height + y) * width + x];
        else
          columns[(row * outH + oy) * outW + ox] = 0.0f;
      }
    }
  }
}

int main(int argc, char **argv) {
  int channels = 32, height = 301, width = 299;
  corpus::parseSize(argc, argv, "--channels", &channels, 3);
  corpus::parseSize(argc, argv, "--height", &height, 21);
  corpus::parseSize(argc, argv, "--width", &width, 18);
  int outH = (height + 1) / 2, outW = (width + 1) / 2;
  size_t in = (size_t)channels * height * width;
  size_t out = (size_t)channels * 9 * outH * outW;
  float *image, *columns;
  CUDA_CHECK(cudaMalloc(&image, in * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&columns, out * sizeof(float)));
  corpus::fill(image, in, 0.0, 1.0, 33);
  int blocks = (channels * outH * outW + 191) / 192;
  for (int i = 0; i < 4; i++)
    im2col<<<blocks, 192>>>(image, columns, channels, height, width, outH,
                            outW);
  corpus::printChecksum("columns", columns, out);
  cudaFree(image);
  cudaFree(columns);
}
