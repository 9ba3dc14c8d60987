// Original and result run in the emulator over sizes that divide nothing, and
// agree to the bit.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply-all --verify=emulator --emulate-args "31 33" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply='coarsen-thread:transpose in its block{items=8}' --apply='coarsen-thread:gradient in its block{items=2}' --verify=emulator --emulate-args "1000 3" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply='coarsen-thread:transpose in its block{items=2}' --apply='coarsen-thread:gradient in its block{items=4}' --verify=emulator --emulate-args "3 1023" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: %emulate --checks=races %t.2.cu -- 31 33
// RUN: %emulate --checks=races %t.4.cu -- 33 65
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=ROWS < %t.4.cu
// ROWS: for (int row = 0; row < 32; row += 16)
// ROWS: for (int row = 0; row < 16; row += 4)

#include "apply.h"

__global__ void transpose(const float *in, float *out, int w, int h) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  if (x < w && y < h)
    tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  if (x < h && y < w)
    out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void gradient(const float *a, float *b, int w, int h) {
  __shared__ float tile[16][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * 32 + tx, y = blockIdx.y * blockDim.y + ty;
  float v = 0;
  if (x < w && y < h)
    v = a[y * w + x];
  tile[ty][tx] = v;
  __syncthreads();
  if (x < w && y < h)
    b[y * w + x] += ty > 0 ? tile[ty][tx] - tile[ty - 1][tx] : tile[0][tx];
}

int main(int argc, char **argv) {
  int w = number(argv[1]), h = number(argv[2]);
  float *a, *b;
  cudaMalloc(&a, BufferBytes);
  cudaMalloc(&b, BufferBytes);
  fill(a);
  fill(b);
  transpose<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(a, b, w, h);
  show(b, w * h / 2);
  gradient<<<dim3((w + 31) / 32, (h + 15) / 16), dim3(32, 16)>>>(a, b, w, h);
  show(b, w * h - 1);
  return 0;
}
