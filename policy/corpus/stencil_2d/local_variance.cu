// Variance within a window of 11 x 11, what lies outside is left out; sums in
// double.
#include "../corpus.h"

const int HALF = 5;

__global__ void localVariance(float *height, float *variance, int w, int h) {
  int x = threadIdx.x + blockDim.x * blockIdx.x;
  int y = threadIdx.y + blockDim.y * blockIdx.y;
  if (x >= w || y >= h)
    return;
  double sum = 0, squares = 0;
  int count = 0;
  for (int j = -HALF; j <= HALF; j++) {
    for (int i = -HALF; i <= HALF; i++) {
      if (x + i >= 0 && x + i < w && y + j >= 0 && y + j < h) {
        sum += height[(y + j) * w + x + i];
        squares += height[(y + j) * w + x + i] * height[(y + j) * w + x + i];
        count++;
      }
    }
  }
  variance[y * w + x] = squares / count - sum / count * (sum / count);
}

int main(int argc, char **argv) {
  int w = 1500, h = 1100;
  corpus::parseSize(argc, argv, "--width", &w, 37);
  corpus::parseSize(argc, argv, "--height", &h, 22);
  size_t n = (size_t)w * h;
  float *height, *variance;
  CUDA_CHECK(cudaMalloc(&height, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&variance, n * sizeof(float)));
  corpus::fill(height, n, 0.0, 1.0, 45);
  dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
  for (int i = 0; i < 3; i++)
    localVariance<<<grid, block>>>(height, variance, w, h);
  corpus::printChecksum("variance", variance, n);
  cudaFree(height);
  cudaFree(variance);
}
