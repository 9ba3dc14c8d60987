// Original and result run in the emulator, and agree: for no iteration, for
// fewer than a graph pays for, for a multiple of a graph's, and for some more.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,cuda-graph' --apply-all --verify=emulator --emulate-args 0 -o %t.0.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,cuda-graph' --apply-all --verify=emulator --emulate-args 39 -o %t.39.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,cuda-graph' --apply-all --verify=emulator --emulate-args 40 -o %t.40.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,cuda-graph' --apply-all --verify=emulator --emulate-args 63 -o %t.63.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: grep -c '^ .*cudaGraphLaunch' %t.63.cu | grep -x 1

#include "apply.h"

__global__ void move(float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 0.5f * in[i] + 0.25f * in[i + 1];
}

int main(int argc, char **argv) {
  int steps = number(argv[1]);
  float *in, *out;
  cudaMalloc(&in, BufferBytes);
  cudaMalloc(&out, BufferBytes);
  fill(in);
  fill(out);
  for (int step = 0; step < steps; step++) {
    cudaMemset(out, 0, 64);
    move<<<4, 32>>>(in, out, 100);
    float *next = out;
    out = in;
    in = next;
  }
  show(in, 100);
  show(out, 100);
  return 0;
}
