// Original and result run in the emulator over sizes that divide nothing, and
// agree to the bit.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply='coarsen-thread:stencil along z{items=4}' --apply='coarsen-thread:slices along z{items=2}' --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply='coarsen-thread:stencil along z{items=8}' --apply='coarsen-thread:slices along z{items=4}' --verify=emulator --emulate-args "31 4" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply='coarsen-thread:stencil along z{items=2}' --apply='coarsen-thread:slices along z{items=8}' --verify=emulator --emulate-args "2 1000" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply='coarsen-thread:stencil along z{items=4}' --apply='coarsen-thread:slices along z{items=4}' --verify=emulator --emulate-args "1 1023" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply='coarsen-thread:stencil{items=4}' --apply='coarsen-thread:slices{items=2}' --verify=emulator --emulate-args "5 33" -o %t.5.cu -- %runnable_cuda 2>&1 | FileCheck %s
// No element is made by two threads.
// RUN: %emulate --checks=races %t.2.cu -- 31 4
// RUN: %emulate --checks=races %t.4.cu -- 3 33
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=LOOPS < %t.4.cu
// LOOPS-COUNT-2: for (int item =

#include "apply.h"

// In place on the thread's own element, as a wave's last step but one.
__global__ void stencil(const float *a, float *b, int w, int d) {
  int x = blockIdx.x * 4 + threadIdx.x;
  int y = blockIdx.y * 4 + threadIdx.y;
  int z = blockIdx.z * 2 + threadIdx.z;
  if (x >= w || y >= w || z < 1 || z >= d - 1)
    return;
  int i = (z * w + y) * w + x;
  b[i] = a[i - w * w] + a[i + w * w] - 2 * a[i] - b[i];
}

__global__ void slices(const float *a, float *b, int w, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z;
  if (x < w && y < w && z < d)
    b[(z * w + y) * w + x] += z * a[(z * w + y) * w + x];
}

int main(int argc, char **argv) {
  int w = number(argv[1]), d = number(argv[2]);
  float *a, *b;
  cudaMalloc(&a, BufferBytes);
  cudaMalloc(&b, BufferBytes);
  fill(a);
  fill(b);
  stencil<<<dim3((w + 3) / 4, (w + 3) / 4, (d + 1) / 2), dim3(4, 4, 2)>>>(a, b, w, d);
  show(b, w * w * d / 2);
  slices<<<dim3((w + 7) / 8, (w + 3) / 4, d), dim3(8, 4)>>>(a, b, w, d);
  show(b, w * w * d - 1);
  return 0;
}
