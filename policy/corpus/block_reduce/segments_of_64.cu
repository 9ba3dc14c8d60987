// Sums of neighbouring segments of 64 elements, four segments a block, each
// with a tree of its own.
#include "../corpus.h"

#define SEGMENT 64
#define PER_BLOCK 4

__global__ void segmentSums(unsigned int *in, unsigned int *sums,
                            int segments) {
  __shared__ unsigned int part[PER_BLOCK][SEGMENT];
  int lane = threadIdx.x % SEGMENT;
  int local = threadIdx.x / SEGMENT;
  int segment = blockIdx.x * PER_BLOCK + local;
  part[local][lane] = segment < segments ? in[segment * SEGMENT + lane] : 0;
  __syncthreads();
  for (int s = SEGMENT / 2; s > 0; s >>= 1) {
    if (lane < s)
      part[local][lane] += part[local][lane + s];
    __syncthreads();
  }
  if (lane == 0 && segment < segments)
    sums[segment] = part[local][0];
}

int main(int argc, char **argv) {
  int segments = 150000;
  corpus::parseSize(argc, argv, "--n", &segments, 45);
  unsigned int *in, *sums;
  CUDA_CHECK(cudaMalloc(&in, sizeof(unsigned) * segments * SEGMENT));
  CUDA_CHECK(cudaMalloc(&sums, sizeof(unsigned) * segments));
  corpus::fill(in, (size_t)segments * SEGMENT, 0, 1 << 20, 6);
  for (int i = 0; i < 5; i++)
    segmentSums<<<(segments + PER_BLOCK - 1) / PER_BLOCK,
                  SEGMENT * PER_BLOCK>>>(in, sums, segments);
  CUDA_CHECK(cudaDeviceSynchronize());
  corpus::printChecksum("sums", sums, segments);
  cudaFree(in);
  cudaFree(sums);
  return 0;
}
