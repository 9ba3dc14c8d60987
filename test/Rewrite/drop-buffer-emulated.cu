// Original and result run in the emulator and agree, after fusion and without;
// other rules find their sites in the result.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels,drop-buffer' --apply-all --verify=emulator --emulate-args 1 -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels,drop-buffer' --apply-all --verify=emulator --emulate-args 31 -o %t.31.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels,drop-buffer' --apply-all --verify=emulator --emulate-args 33 -o %t.33.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels,drop-buffer' --apply-all --verify=emulator --emulate-args 1000 -o %t.1000.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels,drop-buffer' --apply-all --verify=emulator --emulate-args 1023 -o %t.1023.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %t.1023.cu --rules='-*,coarsen-thread' --apply-all --verify=emulator --emulate-args 1023 -o %t.c.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %t.1023.cu --rules='-*,const-restrict,vectorize-access' --apply-all --verify=emulator --emulate-args 1023 -o %t.v.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: not cmp -s %s %t.1.cu
// RUN: not cmp -s %t.1023.cu %t.c.cu
// RUN: not cmp -s %t.1023.cu %t.v.cu
// RUN: grep -v "// DROPPED" %t.1.cu | FileCheck %s --check-prefix=DROPPED
// DROPPED: float r = a[i] - b[i];
// DROPPED-NOT: cudaMalloc(&r,
// DROPPED-NOT: cudaMalloc(&m,

#include "apply.h"

__global__ void difference(const float *a, const float *b, float *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] = a[i] - b[i];
}
__global__ void shrink(float *r, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = r[i] / 3 + 1;
}
__global__ void clamp(const float *b, float *m, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (b[i] > 1)
    m[i] = 1;
  else
    m[i] = b[i] + 0.25f;
  out[i] = out[i] / 2 - m[i];
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *a, *b, *r, *m, *out;
  cudaMalloc(&a, BufferBytes);
  cudaMalloc(&b, BufferBytes);
  cudaMalloc(&r, BufferBytes);
  cudaMalloc(&m, BufferBytes);
  cudaMalloc(&out, BufferBytes);
  fill(a);
  fill(b);
  fill(out);
  int blocks = (n + 127) / 128;
  for (int step = 0; step < 3; step++) {
    difference<<<blocks, 128>>>(a, b, r, n);
    shrink<<<blocks, 128>>>(r, b, n);
    cudaDeviceSynchronize();
    clamp<<<blocks, 128>>>(b, m, out, n);
    cudaDeviceSynchronize();
  }
  show(a, n);
  show(b, n);
  show(out, n);
  cudaFree(a);
  cudaFree(b);
  cudaFree(r);
  cudaFree(m);
  cudaFree(out);
  return 0;
}
