// Metropolis sweep of the Ising model: one colour of a checkerboard a launch,
// spins as signed bytes, a hash of place and sweep as random number.
#include "../corpus.h"

__device__ float hashUniform(unsigned a) {
  a = (a ^ 61) ^ (a >> 16);
  a *= 9;
  a = a ^ (a >> 4);
  a *= 0x27d4eb2d;
  a = a ^ (a >> 15);
  return a / 4294967296.0f;
}

__global__ void sweep(signed char *spin, int rows, int cols, int colour,
                      float beta, unsigned seed) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= cols || (r + c) % 2 != colour)
    return;
  int up = (r - 1 + rows) % rows, down = (r + 1) % rows;
  int left = (c - 1 + cols) % cols, right = (c + 1) % cols;
  int field = spin[up * cols + c] + spin[down * cols + c] +
              spin[r * cols + left] + spin[r * cols + right];
  float accept = expf(-2.0f * beta * field * spin[r * cols + c]);
  if (hashUniform((r * cols + c) * 31u + seed) < accept)
    spin[r * cols + c] = -spin[r * cols + c];
}

int main(int argc, char **argv) {
  int rows = 4096, cols = 4096;
  corpus::parseSize(argc, argv, "--rows", &rows, 40);
  corpus::parseSize(argc, argv, "--cols", &cols, 36);
  rows += rows % 2; // a torus has two colours only if its sides are even
  cols += cols % 2;
  std::vector<signed char> start((size_t)rows * cols);
  corpus::Lcg random(6);
  for (signed char &s : start)
    s = random.bits() & 1 ? 1 : -1;
  signed char *spin;
  CUDA_CHECK(cudaMalloc(&spin, start.size()));
  CUDA_CHECK(
      cudaMemcpy(spin, start.data(), start.size(), cudaMemcpyHostToDevice));
  dim3 block(16, 16), grid((cols + 15) / 16, (rows + 15) / 16);
  for (unsigned half = 0; half < 4; half++)
    sweep<<<grid, block>>>(spin, rows, cols, half % 2, 0.44f, 977u * half);
  CUDA_CHECK(
      cudaMemcpy(start.data(), spin, start.size(), cudaMemcpyDeviceToHost));
  long magnetisation = 0, weighted = 0;
  for (size_t i = 0; i < start.size(); i++) {
    magnetisation += start[i];
    weighted += start[i] * (long)(i % 97);
  }
  printf("magnetisation: %ld weighted %ld\n", magnetisation, weighted);
  cudaFree(spin);
}
