// Original and result run in the emulator, and agree.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,remove-sync' --apply-all --verify=emulator --emulate-args 1 -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,remove-sync' --apply-all --verify=emulator --emulate-args 33 -o %t.33.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: grep -c '^ .*cudaDeviceSynchronize' %t.33.cu | grep -x 1

#include "apply.h"

__global__ void step(float *a, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > k && i < n)
    a[i] += 0.5f * a[k];
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *a;
  cudaMalloc(&a, BufferBytes);
  fill(a);
  for (int k = 0; k < n; k++) {
    step<<<(n + 31) / 32, 32>>>(a, k, n);
    if (cudaDeviceSynchronize())
      return 1;
    step<<<(n + 63) / 64, 64>>>(a, k, n);
    cudaDeviceSynchronize();
  }
  if (cudaDeviceSynchronize())
    return 1;
  show(a, n);
  return 0;
}
