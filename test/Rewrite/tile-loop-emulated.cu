// Original and result run in the emulator over sizes that divide nothing, and
// agree to the bit.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,tile-loop' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-loop' --apply-all --verify=emulator --emulate-args "31 33" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-loop' --apply=tile-loop:j{tile=128} --verify=emulator --emulate-args "1000 31" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-loop' --apply-all --verify=emulator --emulate-args "33 1023" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: %emulate --checks=races %t.2.cu -- 31 33
// RUN: %emulate --checks=races %t.4.cu -- 300 65
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=TILES < %t.4.cu
// TILES: for (int start = 0; start < n; start += TILE)
// TILES: for (int start = 2; start < m; start += TILE)
// TILES: for (int start = 1; start < n; start += TILE)

#include "apply.h"

struct Body {
  float x, y, v, w;
};

__global__ void attract(Body *bodies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float a = 0;
    float x = bodies[i].x;
    for (int j = 0; j < n; j++) {
      float d = bodies[j].x - x, y = bodies[j].y;
      if (j == i)
        continue;
      a += d * y;
    }
    bodies[i].v += a;
  }
}

__global__ void sums(const float *__restrict__ a, float *__restrict__ out, int n, int m) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n)
    return;
  out[i] = a[i];
  for (int k = 2; k < m; k++)
    out[i] += a[2 * k + 1] * (a[k] - i);
}

__global__ void others(Body *bodies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a = 0;
  for (int j = 1; j < n; j++) {
    if (j == i)
      continue;
    a += bodies[j].x;
  }
  bodies[i].w += a;
}

int main(int argc, char **argv) {
  int n = number(argv[1]), m = number(argv[2]);
  float *in, *out;
  cudaMalloc(&in, BufferBytes);
  cudaMalloc(&out, BufferBytes);
  fill(in);
  fill(out);
  attract<<<n / 32 + 1, 32>>>((Body *)in, n);
  show(in, 4 * n - 2);
  others<<<(n + 31) / 32, 32>>>((Body *)in, n);
  show(in, 4 * n - 1);
  sums<<<(n + 63) / 64, 64>>>(in, out, n, m);
  show(out, n - 1);
  return 0;
}
