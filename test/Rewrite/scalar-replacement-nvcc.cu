// The output compiles with the real compiler, without a warning.
// REQUIRES: nvcc
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement' --apply-all -o %t.cu
// RUN: %nvcc -std=c++17 -Werror all-warnings -c %t.cu -o %t.o
// RUN: FileCheck %s --match-full-lines --strict-whitespace < %t.cu
#include <cuda_runtime.h>

template <class T>
__global__ void product(const T *A, const T *B, T *C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  C[row * n + col] = T(0);
  for (int k = 0; k < n; ++k)
    C[row * n + col] += A[row * n + k] * B[k * n + col];
}
//      CHECK:  T sum = T(0);
//      CHECK:    sum += A[row * n + k] * B[k * n + col];
// CHECK-NEXT:  C[row * n + col] = sum;

template <class T> void run(int n) {
  T *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(T));
  cudaMalloc(&b, n * n * sizeof(T));
  cudaMalloc(&c, n * n * sizeof(T));
  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  product<T><<<grid, block>>>(a, b, c, n);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}

int main() {
  run<float>(100);
  run<double>(100);
  run<int>(100);
  return 0;
}
