// Cross-fade of two frames by a mask; x and y of the thread are exchanged.
#include "../corpus.h"

__global__ void crossFade(float *a, float *b, float *mask, float *out,
                          int width, int height, float t) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  int x = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int at = y * width + x;
    float m = fminf(fmaxf((mask[at] - t) / 0.1f, 0.0f), 1.0f);
    out[at] = a[at] * (1.0f - m) + b[at] * m;
  }
}

int main(int argc, char **argv) {
  int width = 2560, height = 1440;
  corpus::parseSize(argc, argv, "--n", &width, 50);
  corpus::parseSize(argc, argv, "--height", &height, 31);
  size_t n = (size_t)width * height;
  float *buffers[4];
  for (int i = 0; i < 4; i++)
    CUDA_CHECK(cudaMalloc(&buffers[i], n * sizeof(float)));
  for (int i = 0; i < 3; i++)
    corpus::fill(buffers[i], n, 0.0, 1.0, i + 1);

  dim3 threads(16, 16);
  dim3 blocks((height + 15) / 16, (width + 15) / 16);
  for (int step = 0; step < 5; step++)
    crossFade<<<blocks, threads>>>(buffers[0], buffers[1], buffers[2],
                                   buffers[3], width, height, step * 0.2f);
  corpus::printChecksum("frame", buffers[3], n);
  for (float *buffer : buffers)
    CUDA_CHECK(cudaFree(buffer));
}
