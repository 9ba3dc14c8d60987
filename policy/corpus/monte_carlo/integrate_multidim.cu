// Integral of an oscillating function over a box by samples: each block adds
// its estimate to one float; the points come from a Weyl sequence.
#include "../corpus.h"

__global__ void integrate(float *sum, int samples, int perThread) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float mine = 0.0f;
  for (int k = 0; k < perThread; k++) {
    int s = t * perThread + k;
    if (s < samples) {
      double ax = s * 0.754877666, ay = s * 0.569840296;
      float x = ax - floor(ax);
      float y = ay - floor(ay);
      mine += sinf(8.0f * x) * cosf(5.0f * y) * expf(-x * y) + 2.0f;
    }
  }
  atomicAdd(sum, mine);
}

int main(int argc, char **argv) {
  int samples = 20000000, perThread = 50;
  corpus::parseSize(argc, argv, "--samples", &samples, 9000);
  corpus::parseSize(argc, argv, "--per-thread", &perThread, 20);
  float *sum;
  CUDA_CHECK(cudaMalloc(&sum, sizeof(float)));
  CUDA_CHECK(cudaMemset(sum, 0, sizeof(float)));
  int threads = (samples + perThread - 1) / perThread;
  for (int i = 0; i < 3; i++)
    integrate<<<(threads + 127) / 128, 128>>>(sum, samples, perThread);
  float host;
  CUDA_CHECK(cudaMemcpy(&host, sum, sizeof(float), cudaMemcpyDeviceToHost));
  printf("mean: %.3f\n", host / samples / 3);
  cudaFree(sum);
}
