// Explicit heat conduction along a rod with insulated ends, ping-pong buffers.
#include "../corpus.h"

__global__ void conduct(float *t_old, float *t_new, float alpha, float dx,
                        float dt, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) {
    float left = i > 0 ? t_old[i - 1] : t_old[i];
    float right = i < n - 1 ? t_old[i + 1] : t_old[i];
    t_new[i] =
        t_old[i] + alpha * dt / (dx * dx) * (left - 2.0 * t_old[i] + right);
  }
}

int main(int argc, char **argv) {
  int n = 1 << 23;
  corpus::parseSize(argc, argv, "--n", &n, 5003);
  size_t bytes = n * sizeof(float);
  float *a, *b;
  CUDA_CHECK(cudaMalloc((void **)&a, bytes));
  CUDA_CHECK(cudaMalloc((void **)&b, bytes));
  corpus::fill(a, n, 0.0, 100.0, 3);
  int threads = 256;
  int blocks = (n + threads - 1) / threads;
  for (int step = 0; step < 4; step++) {
    conduct<<<blocks, threads>>>(a, b, 0.4f, 0.1f, 0.01f, n);
    std::swap(a, b);
  }
  corpus::printChecksum("temperature", a, n);
  CUDA_CHECK(cudaFree(a));
  CUDA_CHECK(cudaFree(b));
}
