// Mean of the 27 neighbours; a thread per column marches along z.
#include "../corpus.h"

__global__ void smooth27(float *vol, float *out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= n - 1 || y >= n - 1)
    return;
  for (int z = 1; z < n - 1; z++) {
    float sum = 0.0f;
    for (int dz = -1; dz <= 1; dz++)
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          sum += vol[(z + dz) * n * n + (y + dy) * n + x + dx];
    out[z * n * n + y * n + x] = sum / 27;
  }
}

int main(int argc, char **argv) {
  int n = 192;
  corpus::parseSize(argc, argv, "--n", &n, 20);
  size_t count = (size_t)n * n * n;
  float *vol, *out;
  CUDA_CHECK(cudaMalloc(&vol, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&out, count * sizeof(float)));
  CUDA_CHECK(cudaMemset(out, 0, count * sizeof(float)));
  corpus::fill(vol, count, 0.0, 27.0, 4);
  dim3 block(32, 4);
  dim3 grid((n + 31) / 32, (n + 3) / 4);
  smooth27<<<grid, block>>>(vol, out, n);
  smooth27<<<grid, block>>>(out, vol, n);
  smooth27<<<grid, block>>>(vol, out, n);
  corpus::printChecksum("smooth", out, count);
  cudaFree(vol);
  cudaFree(out);
}
