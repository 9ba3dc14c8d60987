// Discounted returns of many episodes, from the last step to the first; an
// episode ends where done is one. One episode buffer per thread, row by row.
#include "../corpus.h"

__global__ void discount(const float *reward, const unsigned char *done,
                         float *returns, int episodes, int horizon,
                         double gamma) {
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < episodes;
       e += gridDim.x * blockDim.x) {
    float running = 0;
    for (int t = horizon - 1; t >= 0; t--) {
      if (done[e * horizon + t] == 1)
        running = 0;
      running = reward[e * horizon + t] + gamma * running;
      returns[e * horizon + t] = running;
    }
  }
}

int main(int argc, char **argv) {
  int episodes = 40000, horizon = 128;
  corpus::parseSize(argc, argv, "--episodes", &episodes, 200);
  corpus::parseSize(argc, argv, "--horizon", &horizon, 15);
  size_t n = (size_t)episodes * horizon;
  float *reward, *returns;
  unsigned char *done;
  CUDA_CHECK(cudaMalloc(&reward, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&returns, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&done, n));
  corpus::fill(reward, n, 0.0, 1.0, 7);
  corpus::fill(done, n, 0, 25, 8);
  discount<<<120, 256>>>(reward, done, returns, episodes, horizon, 0.99);
  discount<<<120, 256>>>(reward, done, returns, episodes, horizon, 0.97);
  discount<<<120, 256>>>(reward, done, returns, episodes, horizon, 0.95);
  corpus::printChecksum("returns", returns, n);
  cudaFree(reward);
  cudaFree(returns);
  cudaFree(done);
}
