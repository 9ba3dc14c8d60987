// Original and result run in the emulator and agree.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels' --apply-all --verify=emulator --emulate-args 1 -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels' --apply-all --verify=emulator --emulate-args 31 -o %t.31.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels' --apply-all --verify=emulator --emulate-args 33 -o %t.33.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels' --apply-all --verify=emulator --emulate-args 1000 -o %t.1000.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels' --apply-all --verify=emulator --emulate-args 1023 -o %t.1023.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: not cmp -s %s %t.1.cu

#include "apply.h"

__global__ void difference(const float *a, const float *b, float *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] = a[i] - b[i];
}
__global__ void shrink(float *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  r[i] = r[i] / 3 + 1;
}
__global__ void half(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2)
    out[i] += in[i];
}
__global__ void add(const float *m, float *out, int rows, int columns) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < columns)
    out[row * columns + col] += m[col];
}
__global__ void invert(float *out, int rows, int columns) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < columns && y < rows)
    out[y * columns + x] = 1 / (out[y * columns + x] + 10);
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *a, *b, *r;
  cudaMalloc(&a, BufferBytes);
  cudaMalloc(&b, BufferBytes);
  cudaMalloc(&r, BufferBytes);
  fill(a);
  fill(b);
  fill(r);
  int blocks = (n + 127) / 128;
  for (int step = 0; step < 3; step++) {
    difference<<<blocks, 128>>>(a, b, r, n);
    shrink<<<blocks, 128>>>(r, n);
    half<<<blocks, 128>>>(r, b, n);
    add<<<dim3((n + 15) / 16, 1), dim3(16, 4)>>>(b, a, 3, n);
    invert<<<dim3((n + 15) / 16, 1), dim3(16, 4)>>>(a, 3, n);
    cudaDeviceSynchronize();
  }
  show(a, n);
  show(b, n);
  show(r, n);
  return 0;
}
