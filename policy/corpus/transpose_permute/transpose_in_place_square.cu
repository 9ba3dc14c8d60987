// Transposes a square matrix in place: the threads above the diagonal swap.
#include "../corpus.h"

__global__ void transposeInPlace(int *a, int n) {
  int c = threadIdx.x + blockDim.x * blockIdx.x;
  int r = threadIdx.y + blockDim.y * blockIdx.y;
  if (r < n && c < n && c > r) {
    int tmp = a[r * n + c];
    a[r * n + c] = a[c * n + r];
    a[c * n + r] = tmp;
  }
}

int main(int argc, char **argv) {
  int n = 3000;
  corpus::parseSize(argc, argv, "--n", &n, 70);
  int *a;
  CUDA_CHECK(cudaMalloc(&a, (size_t)n * n * sizeof(int)));
  corpus::fill(a, (size_t)n * n, 0, 1 << 20);
  dim3 block(32, 4);
  dim3 grid((n + 31) / 32, (n + 3) / 4);
  transposeInPlace<<<grid, block>>>(a, n);
  transposeInPlace<<<grid, block>>>(a, n);
  transposeInPlace<<<grid, block>>>(a, n);
  corpus::printChecksum("transposed", a, (size_t)n * n);
  cudaFree(a);
}
