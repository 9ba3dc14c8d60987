// Original and result run in the emulator over sizes that divide nothing, and
// agree to the bit; what is copied changes between launches, and is more and
// less than what the kernel reads.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,constant-memory' --apply-all --verify=emulator --emulate-args 1 -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,constant-memory' --apply-all --verify=emulator --emulate-args 31 -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,constant-memory' --apply-all --verify=emulator --emulate-args 33 -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,constant-memory' --apply-all --verify=emulator --emulate-args 1000 -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,constant-memory' --apply-all --verify=emulator --emulate-args 1023 -o %t.5.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: FileCheck --check-prefix=CHANGED --input-file %t.4.cu %s

#include "apply.h"

// CHANGED: {{^}}__constant__ float constantFilter[7];
__global__ void filter1d(float *out, const float *in, const float *filter, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = -3; k <= 3; ++k)
    if (i + k >= 0 && i + k < n)
      sum += in[i + k] * filter[k + 3];
  out[i] = sum;
}

// CHANGED: {{^}}__constant__ int constantOffsets[4];
__global__ void pick(float *out, const float *in, const int *offsets, int n, int used) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < used; ++k)
    out[i] += in[(i + offsets[k]) % n];
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *in, *out, *filter, taps[1030];
  int *offsets, host[4] = {5, 0, 17, 2};
  for (int i = 0; i < 1030; ++i)
    taps[i] = i % 7 + 0.25f;
  int used = n < 7 ? 7 : n;
  cudaMalloc(&in, BufferBytes);
  cudaMalloc(&out, BufferBytes);
  cudaMalloc(&filter, used * sizeof(float));
  cudaMalloc(&offsets, sizeof(host));
  fill(in);
  fill(out);
  cudaMemcpy(offsets, host, sizeof(host), cudaMemcpyHostToDevice);
  for (int step = 0; step < 3; ++step) {
    cudaMemcpy(filter, taps + step, used * sizeof(float), cudaMemcpyHostToDevice);
    filter1d<<<(n + 63) / 64, 64>>>(out, in, filter, n);
    pick<<<(n + 63) / 64, 64>>>(in, out, offsets, n, 4 - step);
  }
  show(in, n);
  show(out, n);
  cudaFree(filter);
  cudaFree(offsets);
  return 0;
}
