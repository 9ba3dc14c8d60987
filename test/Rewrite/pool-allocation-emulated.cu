// Original and result run in the emulator, which fills fresh memory with NaN
// patterns, and agree.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,pool-allocation' --apply-all --verify=emulator --emulate-args 1 -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,pool-allocation' --apply-all --verify=emulator --emulate-args 0 -o %t.0.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,pool-allocation' --apply-all --verify=emulator --emulate-args 33 -o %t.33.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: not cmp -s %s %t.1.cu

#include "apply.h"

__global__ void work(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * n;
}

int main(int argc, char **argv) {
  int rounds = number(argv[1]);
  static float host[4096], result[4096];
  for (int i = 0; i < 4096; i++)
    host[i] = i;
  for (int round = 0; round < rounds; round++) {
    int n = 1 + round * 37 % 1024;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice);
    work<<<(n + 127) / 128, 128>>>(in, out, n);
    cudaMemcpy(result, out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%g %g\n", (double)result[0], (double)result[n - 1]);
  }
  return 0;
}
