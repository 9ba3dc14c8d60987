// Highest and lowest score of each of a few hundred groups.
#include "../corpus.h"

__global__ void rangeByGroup(const int *group, const int *score, int *highest,
                             int *lowest, int n, int groups) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    int g = group[i];
    if (g < groups) {
      atomicMax(&highest[g], score[i]);
      atomicMin(&lowest[g], score[i]);
    }
  }
}

int main(int argc, char **argv) {
  int n = 6000000, groups = 300;
  corpus::parseSize(argc, argv, "--n", &n, 3100);
  corpus::parseSize(argc, argv, "--groups", &groups, 17);
  int *group, *score, *highest, *lowest;
  CUDA_CHECK(cudaMalloc(&group, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&score, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&highest, groups * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&lowest, groups * sizeof(int)));
  corpus::fill(group, n, 0, groups + 1, 3);
  corpus::fill(score, n, -5000000, 5000000, 4);
  CUDA_CHECK(cudaMemset(highest, 0x80, groups * sizeof(int)));
  CUDA_CHECK(cudaMemset(lowest, 0x7f, groups * sizeof(int)));
  for (int i = 0; i < 3; i++) {
    rangeByGroup<<<660, 256>>>(group, score, highest, lowest, n, groups);
    CUDA_CHECK(cudaGetLastError());
  }
  corpus::printChecksum("highest", highest, groups);
  corpus::printChecksum("lowest", lowest, groups);
  CUDA_CHECK(cudaFree(group));
  CUDA_CHECK(cudaFree(score));
  CUDA_CHECK(cudaFree(highest));
  CUDA_CHECK(cudaFree(lowest));
}
