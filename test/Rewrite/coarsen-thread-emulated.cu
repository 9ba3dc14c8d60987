// Original and result run in the emulator over sizes that divide nothing, and
// agree to the bit.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply-all --verify=emulator --emulate-args "31 33" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply-all --verify=emulator --emulate-args "1000 3" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply=coarsen-thread:scale{items=2} --apply=coarsen-thread:positive{items=8} --apply=coarsen-thread:inner{items=2} --apply=coarsen-thread:blur{items=8} --apply=coarsen-thread:taps{items=2} --verify=emulator --emulate-args "3 1023" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// No element is made by two threads.
// RUN: %emulate --checks=races %t.2.cu -- 31 33
// RUN: %emulate --checks=races %t.4.cu -- 65 31
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=LOOPS < %t.4.cu
// LOOPS-COUNT-5: for (int i{{(tem)?}} =

#include "apply.h"

__global__ void scale(const float *a, float *b, float k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] += k * a[i];
}

__global__ void positive(const float *a, float *b, float k, int n) {
  float twice = 2 * k;
  int i = 64 * blockIdx.x + threadIdx.x;
  if (i >= n)
    return;
  if (a[i] < 0)
    return;
  b[i] -= twice * a[i];
}

__global__ void inner(const float *a, float *b, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i == 0 || i >= n - 1)
    return;
  b[i] += a[i - 1] * a[i + 1];
}

__global__ void blur(const float *a, float *b, int w, int h) {
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    b[y * w + x] -= (a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] + a[(y + 1) * w + x]) / 4;
}

__global__ void taps(const float *a, float *b, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k) {
    if (x + k < 0 || x + k >= w)
      continue;
    sum += k * a[y * w + x + k];
  }
  b[y * w + x] += sum;
}

constexpr int Most = 4096;

void print(const float *device) {
  static float host[Most];
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  unsigned long long hash = 0;
  for (int i = 0; i < Most; ++i)
    hash = hash * 31 + *reinterpret_cast<const unsigned *>(&host[i]);
  printf("%g %llu\n", (double)host[1], hash % 1000003);
}

int main(int argc, char **argv) {
  int w = number(argv[1]), h = number(argv[2]), n = w * h;
  float *a, *b;
  cudaMalloc(&a, BufferBytes);
  cudaMalloc(&b, BufferBytes);
  fill(a);
  fill(b);
  scale<<<(n + 31) / 32, 32>>>(a, b, 3.0f, n);
  print(b);
  int blocks = (n + 63) / 64;
  positive<<<blocks, 64>>>(a, b, 3.0f, n);
  print(b);
  inner<<<n / 32 + 1, 32>>>(a, b, n);
  print(b);
  blur<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(a, b, w, h);
  print(b);
  dim3 grid((w + 31) / 32, (h + 3) / 4);
  taps<<<grid, dim3(32, 4)>>>(a, b, w, h);
  print(b);
  return 0;
}
