// Volume with axes (x, y, z) to (z, x, y): a 3-D grid of small blocks, the
// first axis slowest in both. Integers of 64 bits.
#include "../corpus.h"

typedef long long word;

__global__ void permute3(word *in, word *out, int X, int Y, int Z) {
  int z = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int x = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < X && y < Y && z < Z)
    out[(z * X + x) * Y + y] = in[(x * Y + y) * Z + z];
}

int main(int argc, char **argv) {
  int X = 100, Y = 180, Z = 220;
  corpus::parseSize(argc, argv, "--x", &X, 13);
  corpus::parseSize(argc, argv, "--y", &Y, 18);
  corpus::parseSize(argc, argv, "--z", &Z, 9);
  size_t count = (size_t)X * Y * Z;
  word *in, *out;
  CUDA_CHECK(cudaMalloc(&in, count * sizeof(word)));
  CUDA_CHECK(cudaMalloc(&out, count * sizeof(word)));
  corpus::fill(in, count, -1000000, 1000000, 6);
  dim3 block(8, 8, 4), grid((Z + 7) / 8, (Y + 7) / 8, (X + 3) / 4);
  for (int k = 0; k < 3; k++)
    permute3<<<grid, block>>>(in, out, X, Y, Z);
  corpus::printChecksum("permuted", out, count);
  cudaFree(in);
  cudaFree(out);
}
