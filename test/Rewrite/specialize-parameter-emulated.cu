// Original and result run in the emulator over sizes that divide nothing, and
// agree to the bit; so they do with what other rules make of the constants.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,specialize-parameter' --apply-all --verify=emulator --emulate-args 1 -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,specialize-parameter' --apply-all --verify=emulator --emulate-args 31 -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,specialize-parameter' --apply-all --verify=emulator --emulate-args 33 -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,specialize-parameter' --apply-all --verify=emulator --emulate-args 1000 -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %t.4.cu --rules='-*,unroll-loop,hoist-invariant' --apply-all --verify=emulator --emulate-args 1023 -o %t.5.cu -- %runnable_cuda -I%S 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: FileCheck --check-prefix=CHANGED --input-file %t.4.cu %s

#include "apply.h"

enum Mode { Sum, Difference };

// CHANGED: {{^}}  constexpr int radius = 3;
__global__ void filter(float *out, const float *in, int n, int radius, Mode mode, unsigned char step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = -radius; k <= radius; k += step)
    if (i + k >= 0 && i + k < n)
      sum = mode == Sum ? sum + in[i + k] : sum - in[i + k] * ((i + k) % (radius + 2));
  out[i] = sum;
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *in, *out;
  cudaMalloc(&in, BufferBytes);
  cudaMalloc(&out, BufferBytes);
  fill(in);
  fill(out);
  int radius = 3, wide = 258;
  filter<<<(n + 31) / 32, 32>>>(out, in, n, radius, Difference, 2);
  filter<<<(n + 31) / 32, 32>>>(in, out, n, 3, Difference, 2);
  show(in, n);
  show(out, n);
  return wide - 258;
}
