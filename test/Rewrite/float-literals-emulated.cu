// Original and result run in the emulator over sizes that do not divide, and
// agree.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,float-literals' --apply-all --verify=emulator --emulate-args 1 -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,float-literals' --apply-all --verify=emulator --emulate-args 31 -o %t.31.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,float-literals' --apply-all --verify=emulator --emulate-args 33 -o %t.33.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,float-literals' --apply-all --verify=emulator --emulate-args 100 -o %t.100.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: not cmp -s %s %t.33.cu
// RUN: FileCheck --check-prefix=CHANGED --input-file %t.33.cu %s

#include "apply.h"

__global__ void apply(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHANGED: {{^[^/]*}}0.5f
    out[i] = in[i] * 0.5;
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *in, *out;
  cudaMalloc(&in, BufferBytes);
  cudaMalloc(&out, BufferBytes);
  fill(in);
  fill(out);
  apply<<<(n + 31) / 32, 32>>>(out, in, n);
  show(out, n);
  return 0;
}
