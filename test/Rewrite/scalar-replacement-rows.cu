// An element of a row is kept in a register while rows before it, or behind it,
// are read.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement' --apply-all -- %runnable_cuda | grep -v CHECK | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement' --apply-all --verify=emulator --emulate-args "31 33" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: verified by emulation

#include "apply.h"

// CHECK-LABEL: void forward(
// CHECK:         float sum = {{.*}}X[row * columns + c]
// CHECK-NEXT:    for (int k = 0; k < row; k++)
// CHECK-NEXT:      sum -= L[row * n + k] * X[k * columns + c];
// CHECK-NEXT:    X[row * columns + c] = sum;
__global__ void forward(const float *L, float *X, int n, int columns, int row) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns)
    return;
  for (int k = 0; k < row; k++)
    X[row * columns + c] -= L[row * n + k] * X[k * columns + c];
  X[row * columns + c] /= L[row * n + row];
}

// CHECK-LABEL: void backward(
// CHECK:         float sum = {{.*}}X[row * columns + c]
__global__ void backward(const float *U, float *X, int n, int columns, int row) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns)
    for (int k = row + 1; k < n; k++)
      X[row * columns + c] -= U[row * n + k] * X[k * columns + c];
}

// A thread beyond the last column has an element of the next row.
// CHECK-LABEL: void unguarded(
// CHECK-NEXT:  int c =
// CHECK-NEXT:  for
// CHECK-NEXT:    X[row * columns + c] -=
__global__ void unguarded(const float *L, float *X, int n, int columns, int row) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < row; k++)
    X[row * columns + c] -= L[row * n + k] * X[k * columns + c];
}

// The last iteration reads the element itself.
// CHECK-LABEL: void itself(
// CHECK:           X[row * columns + c] +=
__global__ void itself(const float *L, float *X, int n, int columns, int row) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns)
    for (int k = 0; k <= row; k++)
      X[row * columns + c] += L[row * n + k] * X[k * columns + c];
}

// Each thread has a row of its own, which others read.
// CHECK-LABEL: void rows(
// CHECK:           X[row * columns] +=
__global__ void rows(const float *L, float *X, int n, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n)
    for (int k = 0; k < row; k++)
      X[row * columns] += L[row * n + k] * X[k * columns];
}

int main(int argc, char **argv) {
  int n = number(argv[1]), columns = number(argv[2]);
  float *L, *X, host[8192];
  for (int i = 0; i < n * n; ++i)
    host[i] = 1.0f + i % 3;
  cudaMalloc(&L, n * n * sizeof(float));
  cudaMemcpy(L, host, n * n * sizeof(float), cudaMemcpyHostToDevice);
  for (int i = 0; i < n * columns; ++i)
    host[i] = (i % 7) / 64.0f;
  cudaMalloc(&X, n * columns * sizeof(float));
  cudaMemcpy(X, host, n * columns * sizeof(float), cudaMemcpyHostToDevice);
  int blocks = (columns + 63) / 64;
  for (int row = 0; row < 6; row++)
    forward<<<blocks, 64>>>(L, X, n, columns, row);
  for (int row = n - 1; row > n - 6; row--)
    backward<<<blocks, 64>>>(L, X, n, columns, row);
  itself<<<blocks, 64>>>(L, X, n, columns, 3);
  cudaMemcpy(host, X, n * columns * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n * columns; ++i)
    sum += host[i] * (i % 5 + 1);
  printf("%g\n", sum);
  if (n > 1000) {
    unguarded<<<blocks, 64>>>(L, X, n, columns, 3);
    rows<<<(n + 63) / 64, 64>>>(L, X, n, columns);
  }
}
