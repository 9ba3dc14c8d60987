// Original and result run in the emulator over sizes that divide nothing.
// Where sums are not reordered they agree to the bit.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,interchange-loops' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,interchange-loops' --apply-all --verify=emulator --emulate-args "31 33" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,interchange-loops' --apply-all --verify=emulator --emulate-args "3 1000" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,interchange-loops' --apply-all --fp-class=exact --verify=emulator --emulate-args "1023 2" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: %emulate --checks=races %t.2.cu -- 31 33
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=SWAPPED < %t.3.cu
// SWAPPED: {{^}}  for (int r = 0; r < m; r++)
// SWAPPED: {{^}}  for (int r = 1; r < m; r++)
// SWAPPED: {{^}}  for (int r = 0; r < m; r += 3)

#include "apply.h"

__global__ void patch(const float *a, float *out, int n, int m) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n)
    return;
  float sum = 0;
  for (int c = 0; c < 4; c++)
    for (int r = 0; r < m; r++)
      sum += a[(t % 3 + r) * 4 + c];
  out[t] = sum;
}

// One thread: each element needs its neighbours above and on the left.
__global__ void sweep(float *a, int m) {
  for (int c = 1; c < 4; c++)
    for (int r = 1; r < m; r++)
      a[r * 4 + c] = 0.25f * a[r * 4 + c] + 0.5f * a[(r - 1) * 4 + c] + 0.125f * a[r * 4 + c - 1];
}

__global__ void columns(const float *__restrict__ a, float *__restrict__ out, int n, int m) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n)
    return;
  for (int c = 0; c < 4; c++)
    for (int r = 0; r < m; r += 3) {
      float v = a[r * 4 + c] * t;
      if (v > 1)
        out[(t * m + r) * 4 + c] = v;
    }
}

int main(int argc, char **argv) {
  int n = number(argv[1]), m = number(argv[2]);
  float *in, *out;
  cudaMalloc(&in, BufferBytes);
  cudaMalloc(&out, BufferBytes);
  fill(in);
  fill(out);
  sweep<<<1, 1>>>(in, m);
  show(in, 4 * m);
  patch<<<(n + 31) / 32, 32>>>(in, out, n, m);
  show(out, n);
  // As many threads as the buffer has room for.
  int threads = m > 300 ? 1 : 3;
  columns<<<1, 32>>>(in, out, threads, m);
  show(out, threads * 4 * m);
  return 0;
}
