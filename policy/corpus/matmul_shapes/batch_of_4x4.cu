// Chains of 4 x 4 transforms: each thread multiplies its two matrices whole.
#include "../corpus.h"

struct Matrix4 {
  float m[4][4];
};

__global__ void multiplyAll(const Matrix4 *a, const Matrix4 *b, Matrix4 *c,
                            int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    for (int r = 0; r < 4; r++) {
      for (int s = 0; s < 4; s++) {
        c[i].m[r][s] = 0;
        for (int k = 0; k < 4; k++)
          c[i].m[r][s] += a[i].m[r][k] * b[i].m[k][s];
      }
    }
  }
}

int main(int argc, char **argv) {
  int count = 500000;
  corpus::parseSize(argc, argv, "--n", &count, 150);
  Matrix4 *a, *b, *c;
  CUDA_CHECK(cudaMalloc(&a, count * sizeof(Matrix4)));
  CUDA_CHECK(cudaMalloc(&b, count * sizeof(Matrix4)));
  CUDA_CHECK(cudaMalloc(&c, count * sizeof(Matrix4)));
  corpus::fill((float *)a, (size_t)count * 16, -1.0, 1.0, 1);
  corpus::fill((float *)b, (size_t)count * 16, -1.0, 1.0, 2);
  for (int i = 0; i < 4; i++)
    multiplyAll<<<(count + 127) / 128, 128>>>(a, b, c, count);
  corpus::printChecksum("c", (float *)c, (size_t)count * 16);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
