// Gradient by Sobel weights: magnitude and direction of a float image; the
// masks are device arrays of the program.
#include "../corpus.h"

__device__ float maskX[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
__device__ float maskY[9] = {-1, -2, -1, 0, 0, 0, 1, 2, 1};

__global__ void gradient(float *img, float *magnitude, float *angle, int w,
                         int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x > w - 2 || y < 1 || y > h - 2)
    return;
  float gx = 0, gy = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      gx += maskX[i * 3 + j] * img[(y + i - 1) * w + (x + j - 1)];
      gy += maskY[i * 3 + j] * img[(y + i - 1) * w + (x + j - 1)];
    }
  magnitude[y * w + x] = sqrt(gx * gx + gy * gy);
  angle[y * w + x] = fabsf(atan2f(gy, gx)) * 180.0 / 3.14159265;
}

int main(int argc, char **argv) {
  int w = 1920, h = 1080;
  corpus::parseSize(argc, argv, "--width", &w, 61);
  corpus::parseSize(argc, argv, "--height", &h, 35);
  size_t bytes = sizeof(float) * w * h;
  float *img, *magnitude, *angle;
  CUDA_CHECK(cudaMalloc(&img, bytes));
  CUDA_CHECK(cudaMalloc(&magnitude, bytes));
  CUDA_CHECK(cudaMalloc(&angle, bytes));
  CUDA_CHECK(cudaMemset(magnitude, 0, bytes));
  CUDA_CHECK(cudaMemset(angle, 0, bytes));
  corpus::fill(img, (size_t)w * h, 0.0, 1.0, 2);
  dim3 block(32, 16), grid((w + 31) / 32, (h + 15) / 16);
  for (int frame = 0; frame < 4; frame++)
    gradient<<<grid, block>>>(img, magnitude, angle, w, h);
  corpus::printChecksum("magnitude", magnitude, (size_t)w * h);
  corpus::printChecksum("angle", angle, (size_t)w * h);
  cudaFree(img);
  cudaFree(magnitude);
  cudaFree(angle);
}
