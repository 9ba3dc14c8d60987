// The grid is made by a function that divides and rounds up.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all -- %runnable_cuda > %t.cu
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "33" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: verified by emulation

#include "apply.h"

static inline int divUp(int a, int b) { return (a + b - 1) / b; }
template <typename T> T ceilDiv(const T &total, T grain) {
  return (total - 1 + grain) / grain;
}
int roundsDown(int a, int b) { return a / b; }
int oneLess(int a, int b) { return (a + b - 2) / b; }
int turned(int a, int b) { return (a + b - 1) / a; }
int bounded(int a, int b) {
  if (a > 1000)
    return 1;
  return (a + b - 1) / b;
}
int narrow(short a, int b) { return (a + b - 1) / b; }
int counted(int a, int b) { static int calls; return (a + b - ++calls) / b; }

// CHECK-LABEL: plain(
// CHECK:         constexpr int BM
__global__ void plain(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// CHECK-LABEL: templated(
// CHECK:         constexpr int BM
__global__ void templated(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// CHECK-LABEL: down(
// CHECK-NEXT:    int col
__global__ void down(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// CHECK-LABEL: less(
// CHECK-NEXT:    int col
__global__ void less(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// CHECK-LABEL: wrong(
// CHECK-NEXT:    int col
__global__ void wrong(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// CHECK-LABEL: limited(
// CHECK-NEXT:    int col
__global__ void limited(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// CHECK-LABEL: shortened(
// CHECK-NEXT:    int col
__global__ void shortened(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// CHECK-LABEL: changing(
// CHECK-NEXT:    int col
__global__ void changing(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// CHECK-LABEL: otherBlock(
// CHECK-NEXT:    int col
__global__ void otherBlock(const float *a, const float *b, float *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

// What is passed for a is cut off.
// CHECK-LABEL: cutOff(
// CHECK-NEXT:    int col
__global__ void cutOff(const float *a, const float *b, float *c, long n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *a, *b, *c;
  cudaMalloc(&a, BufferBytes);
  cudaMalloc(&b, BufferBytes);
  cudaMalloc(&c, BufferBytes);
  fill(a);
  fill(b);
  dim3 block(16, 16);
  // CHECK: dim3((n + 127) / 128, (n + 127) / 128)
  plain<<<dim3(divUp(n, 16), divUp(n, block.y)), block>>>(a, b, c, n);
  show(c, n * n - 1);
  int blocks = ceilDiv(n, 16);
  templated<<<dim3(blocks, blocks), block>>>(a, b, c, n);
  show(c, n * n - 1);
  if (n > 1000) {
    long wide = n;
    down<<<dim3(roundsDown(n, 16), roundsDown(n, 16)), block>>>(a, b, c, n);
    less<<<dim3(oneLess(n, 16), oneLess(n, 16)), block>>>(a, b, c, n);
    wrong<<<dim3(turned(n, 16), turned(n, 16)), block>>>(a, b, c, n);
    limited<<<dim3(bounded(n, 16), bounded(n, 16)), block>>>(a, b, c, n);
    shortened<<<dim3(narrow(n, 16), narrow(n, 16)), block>>>(a, b, c, n);
    changing<<<dim3(counted(n, 16), counted(n, 16)), block>>>(a, b, c, n);
    otherBlock<<<dim3(divUp(n, 32), divUp(n, 32)), block>>>(a, b, c, n);
    cutOff<<<dim3(divUp(wide, 16), divUp(wide, 16)), block>>>(a, b, c, wide);
  }
}
