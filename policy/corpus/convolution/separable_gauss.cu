// A Gaussian in two passes, along rows and along columns, edges repeated.
#include "../corpus.h"

const int R = 8;

__global__ void blurRows(const float *src, const float *w, float *dst,
                         int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float acc = 0;
  for (int k = -R; k <= R; k++)
    acc += w[k + R] * src[y * width + min(max(x + k, 0), width - 1)];
  dst[y * width + x] = acc;
}

__global__ void blurColumns(const float *src, const float *w, float *dst,
                            int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float acc = 0;
  for (int k = -R; k <= R; k++)
    acc += w[k + R] * src[min(max(y + k, 0), height - 1) * width + x];
  dst[y * width + x] = acc;
}

int main(int argc, char **argv) {
  int width = 2048, height = 1500;
  corpus::parseSize(argc, argv, "--n", &width, 50);
  corpus::parseSize(argc, argv, "--height", &height, 35);
  size_t pixels = (size_t)width * height;
  std::vector<float> weights(2 * R + 1);
  for (int k = -R; k <= R; k++)
    weights[k + R] = expf(-0.05f * k * k) / 7.9f;
  float *image, *rows, *out, *w;
  CUDA_CHECK(cudaMalloc(&image, pixels * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&rows, pixels * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, pixels * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&w, (2 * R + 1) * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(w, weights.data(), (2 * R + 1) * sizeof(float),
                        cudaMemcpyHostToDevice));
  corpus::fill(image, pixels, 0.0, 1.0, 9);
  dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
  for (int frame = 0; frame < 3; frame++) {
    blurRows<<<grid, block>>>(image, w, rows, width, height);
    blurColumns<<<grid, block>>>(rows, w, out, width, height);
  }
  corpus::printChecksum("out", out, pixels);
  cudaFree(image);
  cudaFree(rows);
  cudaFree(out);
  cudaFree(w);
}
