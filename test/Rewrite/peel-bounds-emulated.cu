// Original and result run in the emulator over sizes that divide nothing, and
// agree to the bit; nothing is read beyond a buffer.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,peel-bounds' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,peel-bounds' --apply-all --verify=emulator --emulate-args "31 33" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,peel-bounds' --apply-all --verify=emulator --emulate-args "1000 3" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,peel-bounds' --apply-all --verify=emulator --emulate-args "3 1023" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: %emulate --checks=races %t.2.cu -- 31 33
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=PEELED < %t.4.cu
// PEELED-COUNT-3: {{^ *}}} else {

#include "apply.h"

#define RADIUS 3

__global__ void convolve(const float *image, const float *filter, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0.0f;
  for (int fy = -RADIUS; fy <= RADIUS; fy++)
    for (int fx = -RADIUS; fx <= RADIUS; fx += 2)
      if (x + fx >= 0 && x + fx < w && y + fy >= 0 && y + fy < h)
        sum += image[(y + fy) * w + x + fx] * filter[(fy + RADIUS) * 7 + fx + RADIUS];
      else
        sum += 0.25f;
  out[y * w + x] = sum;
}

__global__ void pool(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    float best = -1e30f;
    for (int dy = 0; dy < 3; dy++) {
      int yy = y + dy - 1;
      if (yy < 0 || yy > h - 1)
        continue;
      for (int dx = 2; dx < 5; dx++) {
        int xx = x + dx - 3;
        if (xx >= 0 && w > xx && in[yy * w + xx] > best)
          best = in[yy * w + xx];
      }
    }
    out[y * w + x] = best;
  }
}

__global__ void rows(const float *a, float *b, const float *c, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = 0; k <= 8; ++k) {
    if (x + k - 4 < 0) continue;
    if (w <= x + 4 - k) continue;
    sum += x + k - 4 < w ? c[k] * a[y * w + x + k - 4] : 0.5f;
  }
  b[y * w + x] = sum;
}

int main(int argc, char **argv) {
  int w = number(argv[1]), h = number(argv[2]);
  float *in, *out, *taps;
  cudaMalloc(&in, BufferBytes);
  cudaMalloc(&out, BufferBytes);
  cudaMalloc(&taps, BufferBytes);
  fill(in);
  fill(out);
  fill(taps);
  dim3 block(16, 4), grid((w + 15) / 16, (h + 3) / 4);
  convolve<<<grid, block>>>(in, taps, out, w, h);
  show(out, w * h / 2);
  pool<<<grid, block>>>(out, in, w, h);
  show(in, w * h / 2);
  rows<<<grid, block>>>(in, out, taps, w, h);
  show(out, w * h - 1);
  return 0;
}
