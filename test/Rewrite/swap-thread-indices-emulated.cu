// Original and result run in the emulator over sizes that do not divide, and
// agree.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,swap-thread-indices' --apply-all --verify=emulator --emulate-args 1 -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,swap-thread-indices' --apply-all --verify=emulator --emulate-args 31 -o %t.31.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,swap-thread-indices' --apply-all --verify=emulator --emulate-args 33 -o %t.33.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,swap-thread-indices' --apply-all --verify=emulator --emulate-args 100 -o %t.100.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: not cmp -s %s %t.33.cu

#include "apply.h"

__global__ void apply(float *out, const float *in, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < 40 && col < n)
    out[row * n + col] = in[row * n + col] * 2.0f;
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *in, *out;
  cudaMalloc(&in, BufferBytes);
  cudaMalloc(&out, BufferBytes);
  fill(in);
  fill(out);
  dim3 block(8, 4);
  dim3 grid((40 + 7) / 8, (n + 3) / 4);
  apply<<<grid, block>>>(out, in, n);
  show(out, n);
  return 0;
}
