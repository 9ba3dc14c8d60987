// Sorts key and value pairs within each block of 512 by a bitonic network in
// shared memory; each block's run ends up ascending.
#include "../corpus.h"

#define RUN 512

__global__ void sortRuns(unsigned *keys, int *values, int n) {
  __shared__ unsigned k[RUN];
  __shared__ int v[RUN];
  int t = threadIdx.x;
  int g = blockIdx.x * RUN + t;
  k[t] = g < n ? keys[g] : 0xffffffffu;
  v[t] = g < n ? values[g] : -1;
  for (int size = 2; size <= RUN; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int other = t ^ stride;
      if (other > t) {
        bool up = (t & size) == 0;
        if ((k[t] > k[other]) == up) {
          unsigned tk = k[t];
          k[t] = k[other];
          k[other] = tk;
          int tv = v[t];
          v[t] = v[other];
          v[other] = tv;
        }
      }
    }
  }
  __syncthreads();
  if (g < n) {
    keys[g] = k[t];
    values[g] = v[t];
  }
}

int main(int argc, char **argv) {
  int n = 3000000;
  corpus::parseSize(argc, argv, "--n", &n, 900);
  unsigned *keys;
  int *values;
  CUDA_CHECK(cudaMalloc(&keys, n * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&values, n * sizeof(int)));
  corpus::fill(keys, n, 0, 4000000000.0, 2);
  corpus::fill(values, n, 0, n, 3);
  for (int i = 0; i < 3; i++)
    sortRuns<<<(n + RUN - 1) / RUN, RUN>>>(keys, values, n);
  corpus::printChecksum("keys", keys, n);
  cudaFree(keys);
  cudaFree(values);
}
