// Hamming distances of all pairs of binary descriptors (256 bits each), as
// bytes.
#include "../corpus.h"

typedef unsigned int u32;

__global__ void hamming(const u32 *a, const u32 *b, unsigned char *dist, int na,
                        int nb) {
  int ia = blockIdx.y * blockDim.y + threadIdx.y;
  int ib = blockIdx.x * blockDim.x + threadIdx.x;
  if (ia >= na || ib >= nb)
    return;
  int bits = 0;
  for (int w = 0; w < 8; w++)
    bits += __popc(a[8 * ia + w] ^ b[8 * ib + w]);
  dist[ia * nb + ib] = min(bits, 255);
}

int main(int argc, char **argv) {
  int na = 4000, nb = 5000;
  corpus::parseSize(argc, argv, "--na", &na, 50);
  corpus::parseSize(argc, argv, "--nb", &nb, 43);
  u32 *a, *b;
  unsigned char *dist;
  CUDA_CHECK(cudaMalloc(&a, 32 * na));
  CUDA_CHECK(cudaMalloc(&b, 32 * nb));
  CUDA_CHECK(cudaMalloc(&dist, (size_t)na * nb));
  corpus::fill(a, 8 * (size_t)na, 0, 4294967295.0, 5);
  corpus::fill(b, 8 * (size_t)nb, 0, 4294967295.0, 6);
  dim3 threads(8, 32);
  dim3 blocks((nb + 7) / 8, (na + 31) / 32);
  hamming<<<blocks, threads>>>(a, b, dist, na, nb);
  hamming<<<blocks, threads>>>(a, b, dist, na, nb);
  hamming<<<blocks, threads>>>(a, b, dist, na, nb);
  corpus::printChecksum("distances", dist, (size_t)na * nb);
  cudaFree(a);
  cudaFree(b);
  cudaFree(dist);
}
