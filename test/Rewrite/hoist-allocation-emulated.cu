// Original and result run in the emulator, which fills fresh memory with NaN
// patterns, and agree.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,hoist-allocation' --apply-all --verify=emulator --emulate-args 3 -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,hoist-allocation' --apply-all --verify=emulator --emulate-args 0 -o %t.0.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: not cmp -s %s %t.3.cu

#include "apply.h"

__global__ void work(const float *in, float *out, int round) {
  out[threadIdx.x] = in[threadIdx.x] * round;
}

int main(int argc, char **argv) {
  int rounds = number(argv[1]);
  static float host[64], result[64];
  for (int i = 0; i < 64; i++)
    host[i] = i;
  for (int round = 0; round < rounds; round++) {
    float *in, *out;
    cudaMalloc(&in, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
    work<<<1, 64>>>(in, out, round);
    cudaMemcpy(result, out, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%g %g\n", (double)result[1], (double)result[63]);
  }
  return 0;
}
