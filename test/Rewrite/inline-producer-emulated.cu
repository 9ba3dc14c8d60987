// Original and result run in the emulator and agree.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,inline-producer' --apply-all --verify=emulator --emulate-args 1 -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,inline-producer' --apply-all --verify=emulator --emulate-args 31 -o %t.31.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,inline-producer' --apply-all --verify=emulator --emulate-args 33 -o %t.33.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,inline-producer' --apply-all --verify=emulator --emulate-args 1000 -o %t.1000.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,inline-producer' --apply-all --verify=emulator --emulate-args 1023 -o %t.1023.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %t.1023.cu --rules='-*,tree-to-shuffle' --apply-all --fp-class=reassociate --verify=emulator --emulate-args 1023 -o %t.s.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: not grep -q "^  ramp<<<" %t.1.cu
// RUN: not cmp -s %t.1023.cu %t.s.cu

#include "apply.h"

__global__ void shifted(const float *a, const float *b, float shift, float *out,
                        int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] - b[i] + shift;
}
__global__ void blockSums(float *in, float *sums, int n) {
  __shared__ float partial[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (threadIdx.x < s)
      partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = partial[0];
}
__global__ void ramp(const float *slope, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  out[i] = slope[i] + i / 3.0;
}
__global__ void striding(float *sums, const float *values, int n) {
  float sum = 0;
  for (int at = threadIdx.x; at < n; at += blockDim.x)
    sum += values[at];
  sums[threadIdx.x] = sum;
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *a, *b, *sums, *others, *shiftedOnes, *ramped;
  cudaMalloc(&a, BufferBytes);
  cudaMalloc(&b, BufferBytes);
  cudaMalloc(&sums, BufferBytes);
  cudaMalloc(&others, BufferBytes);
  cudaMalloc(&shiftedOnes, n * sizeof(float));
  cudaMalloc(&ramped, n * sizeof(float));
  fill(a);
  fill(b);
  fill(sums);
  fill(others);
  for (int step = 0; step < 2; step++) {
    shifted<<<(n + 127) / 128, 128>>>(a, b, 0.5f, shiftedOnes, n);
    blockSums<<<(n + 127) / 128, 128>>>(shiftedOnes, sums, n);
    ramp<<<(n + 255) / 256, 256>>>(a, ramped, n);
    striding<<<1, 96>>>(others, ramped, n);
    cudaDeviceSynchronize();
  }
  show(sums, n / 128);
  show(others, 95);
  cudaFree(shiftedOnes);
  cudaFree(ramped);
  cudaFree(a);
  return 0;
}
