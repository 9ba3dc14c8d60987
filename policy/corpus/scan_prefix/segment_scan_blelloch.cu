// Exclusive scan of each segment of 512 values by up-sweep and down-sweep in
// shared memory, two values a thread.
#include "../corpus.h"

#define SEGMENT 512

__global__ void scanSegments(int *in, int *out, int count) {
  __shared__ int temp[SEGMENT];
  int tid = threadIdx.x;
  int base = blockIdx.x * SEGMENT;
  temp[2 * tid] = base + 2 * tid < count ? in[base + 2 * tid] : 0;
  temp[2 * tid + 1] = base + 2 * tid + 1 < count ? in[base + 2 * tid + 1] : 0;
  int offset = 1;
  for (int d = SEGMENT / 2; d > 0; d /= 2) {
    __syncthreads();
    if (tid < d) {
      int ai = offset * (2 * tid + 1) - 1;
      int bi = offset * (2 * tid + 2) - 1;
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (tid == 0)
    temp[SEGMENT - 1] = 0;
  for (int d = 1; d < SEGMENT; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (tid < d) {
      int ai = offset * (2 * tid + 1) - 1;
      int bi = offset * (2 * tid + 2) - 1;
      int t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  __syncthreads();
  if (base + 2 * tid < count)
    out[base + 2 * tid] = temp[2 * tid];
  if (base + 2 * tid + 1 < count)
    out[base + 2 * tid + 1] = temp[2 * tid + 1];
}

int main(int argc, char **argv) {
  int count = 6000000;
  corpus::parseSize(argc, argv, "--count", &count, 1300);
  int *in, *out;
  CUDA_CHECK(cudaMalloc(&in, count * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&out, count * sizeof(int)));
  corpus::fill(in, count, 0, 10, 4);
  int blocks = (count + SEGMENT - 1) / SEGMENT;
  for (int i = 0; i < 3; i++)
    scanSegments<<<blocks, SEGMENT / 2>>>(in, out, count);
  corpus::printChecksum("offsets", out, count);
  cudaFree(in);
  cudaFree(out);
}
