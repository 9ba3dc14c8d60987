// Original and result run in the emulator over sizes that divide nothing, and
// agree to the bit.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,stage-shared' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,stage-shared' --apply-all --verify=emulator --emulate-args "31 33" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,stage-shared' --apply-all --verify=emulator --emulate-args "1000 3" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,stage-shared' --apply=stage-shared:image{x=16,y=4} --apply=stage-shared:in{x=64,y=4} --apply=stage-shared:a{x=16,y=8} --verify=emulator --emulate-args "3 1023" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// What is loaded lies in its buffer, and no thread waits for another in vain.
// RUN: %emulate --checks=races %t.2.cu -- 31 33
// RUN: %emulate --checks=races %t.4.cu -- 65 31
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=TILES < %t.4.cu
// TILES-COUNT-3: {{^ *}}__shared__

#include "apply.h"

#define RADIUS 3
#define CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : (v) > (hi) ? (hi) : (v))

__global__ void convolve(const float *image, const float *filter, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0.0f;
  for (int fy = -RADIUS; fy <= RADIUS; fy++)
    for (int fx = -RADIUS; fx <= RADIUS; fx++)
      if (x + fx >= 0 && x + fx < w && y + fy >= 0 && y + fy < h)
        sum += image[(y + fy) * w + x + fx] * filter[(fy + RADIUS) * 7 + fx + RADIUS];
  out[y * w + x] = sum;
}

__global__ void blur(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    float sum = 0;
    for (int dy = -2; dy <= 1; dy++)
      for (int dx = 1; dx <= 2; dx++) {
        int xx = CLAMP((int)(x + dx), 0, w - 1);
        int yy = CLAMP(y + dy, 0, h - 1);
        sum += in[yy * w + xx] * yy;
      }
    out[y * w + x] = sum / 8;
  }
}

__global__ void rows(const float *a, float *b, const float *c, int w, int h) {
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = 0; k <= 8; ++k)
    sum += x + k - 4 >= 0 && x + k - 4 < w ? c[k] * a[y * w + x + k - 4] : 0.5f;
  b[y * w + x] = sum;
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
  int w = number(argv[1]), h = number(argv[2]);
  // No byte more than what is read.
  float *from, *a, *b;
  cudaMalloc(&a, BufferBytes);
  cudaMalloc(&b, BufferBytes);
  cudaMalloc(&from, w * h * sizeof(float));
  fill(a);
  fill(b);
  cudaMemcpy(from, a, w * h * sizeof(float), cudaMemcpyDeviceToDevice);
  convolve<<<dim3((w + 15) / 16, (h + 3) / 4), dim3(16, 4)>>>(from, a, b, w, h);
  print(b);
  blur<<<dim3((w + 15) / 16, (h + 3) / 4), dim3(16, 4)>>>(from, b, w, h);
  print(b);
  rows<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(from, b, a, w, h);
  print(b);
  return 0;
}
