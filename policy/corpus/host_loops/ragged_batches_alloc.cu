// Lists of different lengths, one after the other: a buffer of the list's own
// size is made, filled, used and freed, and the largest value read back.
#include "../corpus.h"

__global__ void squareRoots(const float *values, float *roots, float *sum,
                            int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    roots[i] = sqrtf(values[i] + 1.0f);
    atomicAdd(sum, roots[i] / count);
  }
}

int main(int argc, char **argv) {
  int longest = 400000, lists = 24;
  corpus::parseSize(argc, argv, "--longest", &longest, 500);
  corpus::parseSize(argc, argv, "--lists", &lists, 4);
  float *values, *sum;
  CUDA_CHECK(cudaMalloc(&values, longest * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&sum, sizeof(float)));
  corpus::fill(values, longest, 0.0, 8.0, 7);
  double total = 0;
  for (int list = 0; list < lists; list++) {
    int count = 1 + (int)((long)longest * (list * 7 % lists) / lists);
    float *roots;
    float mean = 0;
    CUDA_CHECK(cudaMemset(sum, 0, sizeof(float)));
    CUDA_CHECK(cudaMalloc(&roots, count * sizeof(float)));
    squareRoots<<<(count + 255) / 256, 256>>>(values, roots, sum, count);
    CUDA_CHECK(cudaMemcpy(&mean, sum, sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(roots));
    total += mean;
  }
  printf("total: %.3f\n", total);
  cudaFree(values);
  cudaFree(sum);
}
