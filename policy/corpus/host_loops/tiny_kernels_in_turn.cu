// Smoke on a small grid: four tiny kernels for each of many steps, nothing but
// launches in the loop.
#include "../corpus.h"

__global__ void addSource(float *smoke, const float *source, int n, float dt) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  int i = y * n + x;
  smoke[i] += dt * source[i];
}

__global__ void drift(const float *smoke, float *moved, int n, float u,
                      float v) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  int i = y * n + x;
  float fx = fminf(fmaxf(x - u, 0.0f), n - 1.001f);
  float fy = fminf(fmaxf(y - v, 0.0f), n - 1.001f);
  int x0 = (int)fx, y0 = (int)fy;
  int x1 = min(x0 + 1, n - 1), y1 = min(y0 + 1, n - 1);
  float a = fx - x0, b = fy - y0;
  moved[i] = (1 - b) * ((1 - a) * smoke[y0 * n + x0] + a * smoke[y0 * n + x1]) +
             b * ((1 - a) * smoke[y1 * n + x0] + a * smoke[y1 * n + x1]);
}

__global__ void fade(float *moved, int n, float keep) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  int i = y * n + x;
  moved[i] = moved[i] * keep;
}

__global__ void limit(const float *moved, float *smoke, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  int i = y * n + x;
  smoke[i] = fminf(moved[i], 1.0f);
}

int main(int argc, char **argv) {
  int n = 256;
  corpus::parseSize(argc, argv, "--n", &n, 19);
  float *smoke, *moved, *source;
  CUDA_CHECK(cudaMalloc(&smoke, n * n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&moved, n * n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&source, n * n * sizeof(float)));
  CUDA_CHECK(cudaMemset(smoke, 0, n * n * sizeof(float)));
  corpus::fill(source, (size_t)n * n, 0.0, 0.2, 3);
  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  for (int step = 0; step < 50; step++) {
    addSource<<<grid, block>>>(smoke, source, n, 0.1f);
    drift<<<grid, block>>>(smoke, moved, n, 0.7f, 0.3f);
    fade<<<grid, block>>>(moved, n, 0.995f);
    limit<<<grid, block>>>(moved, smoke, n);
  }
  corpus::printChecksum("smoke", smoke, (size_t)n * n);
  cudaFree(smoke);
  cudaFree(moved);
  cudaFree(source);
}
