// Original and result run in the emulator over sizes that divide nothing, and
// agree to the bit.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,unroll-and-jam' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,unroll-and-jam' --apply-all --verify=emulator --emulate-args "31 33" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,unroll-and-jam' --apply-all --verify=emulator --emulate-args "1000 3" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,unroll-and-jam' --apply-all --verify=emulator --emulate-args "3 1023" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: %emulate --checks=races %t.2.cu -- 31 33
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=JAMMED < %t.4.cu
// JAMMED: {{^}}    for (; m - r > 7; r += 8) {
// JAMMED: {{^}}  for (unsigned r = 0; r < 8; r += 8) {

#include "apply.h"

__global__ void rows(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n, int m) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n)
    return;
  for (int r = 0; r < m; r++) {
    float sum = 0.0f;
    if (r % 3 == 1)
      sum = 0.5f;
    for (int k = 0; k < n; k++) {
      float product = a[r * 3 + k] * b[k * 32 + c];
      if (product > 0)
        sum += product;
    }
    out[r * n + c] = sum;
  }
}

__global__ void lines(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n, int m) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n)
    return;
  for (unsigned r = 0; r < 8; r++) {
    float sum = 0.0f;
    for (int k = 0; k < m; k++)
      sum += a[r * 32 + k % 32] * b[k];
    out[r * 512 + c % 512] = sum;
  }
}

int main(int argc, char **argv) {
  int n = number(argv[1]), m = number(argv[2]);
  float *in, *out, *taps;
  cudaMalloc(&in, BufferBytes);
  cudaMalloc(&out, BufferBytes);
  cudaMalloc(&taps, BufferBytes);
  fill(in);
  fill(out);
  fill(taps);
  rows<<<1, 32>>>(in, taps, out, n < 3 ? n : 3, m);
  show(out, n);
  lines<<<(n + 31) / 32, 32>>>(out, taps, in, n, m);
  show(in, m);
  return 0;
}
