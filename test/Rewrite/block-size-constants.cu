// A constant that all blocks have as their extent is written as blockDim where
// the extent changes; blocks may have three dimensions.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,block-size' --apply=block-size:wave{x=32,y=4,z=4} --apply=block-size:add{x=32,y=16} -- %runnable_cuda > %t.cu
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,block-size' --list-sites --needs-check -- %runnable_cuda | FileCheck %s --check-prefix=SITES
// RUN: cuda-l1-opt %s --rules='-*,block-size' --apply=block-size:wave{x=32,y=4,z=4} --apply=block-size:add{x=32,y=16} --verify=emulator --emulate-args "1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,block-size' --apply=block-size:wave{x=64,y=4,z=4} --apply=block-size:add{x=32,y=32} --verify=emulator --emulate-args "33" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: verified by emulation
// SITES-NOT: block-size:other
// SITES-NOT: block-size:lone

#include "apply.h"

#define EDGE 4
constexpr int Tile = 16;

// CHECK-LABEL: void wave(
// CHECK-NEXT:  int x = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT:  int y = blockIdx.y * EDGE + threadIdx.y;
// CHECK-NEXT:  int z = threadIdx.z + EDGE * blockIdx.z;
__global__ void wave(const float *now, float *after, int n) {
  int x = blockIdx.x * EDGE + threadIdx.x;
  int y = blockIdx.y * EDGE + threadIdx.y;
  int z = threadIdx.z + EDGE * blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
    return;
  int i = (z * n + y) * n + x;
  after[i] = now[i - 1] + now[i + 1] - 2.0f * now[i] + now[i - n] + now[i + n * n];
}

// CHECK-LABEL: void add(
// CHECK-NEXT:  int col = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT:  int row = blockIdx.y * Tile + threadIdx.y;
__global__ void add(const float *a, float *b, int n) {
  int col = blockIdx.x * Tile + threadIdx.x;
  int row = blockIdx.y * Tile + threadIdx.y;
  if (row < n && col < n)
    b[row * n + col] += a[row * n + col];
}

// The constant is not the extent of the block.
__global__ void other(const float *a, float *b, int n) {
  int i = blockIdx.x * (EDGE * EDGE) + threadIdx.x;
  if (i < n)
    b[i] += a[i];
}

// blockIdx serves for something else too.
__global__ void lone(const float *a, float *b, int n) {
  int i = blockIdx.x * Tile + threadIdx.x;
  if (i < n)
    b[i] += a[i] + blockIdx.x;
}

float *fresh(int count, int seed) {
  float *host = new float[count], *device;
  for (int i = 0; i < count; ++i)
    host[i] = (i * 37 + seed) % 11;
  cudaMalloc(&device, count * sizeof(float));
  cudaMemcpy(device, host, count * sizeof(float), cudaMemcpyHostToDevice);
  delete[] host;
  return device;
}

int main(int argc, char **argv) {
  int n = number(argv[1]), count = n * n * n;
  float *a = fresh(count, 1), *b = fresh(count, 2);
  int blocks = (n + EDGE - 1) / EDGE;
  // CHECK: wave<<<dim3((blocks + 7) / 8, blocks, blocks), dim3(32, 4, 4)>>>(a, b, n);
  wave<<<dim3(blocks, blocks, blocks), dim3(EDGE, EDGE, EDGE)>>>(a, b, n);
  // CHECK: add<<<dim3((((n + Tile - 1) / Tile) + 1) / 2, (n + Tile - 1) / Tile), dim3(32, 16)>>>(a, b, n);
  add<<<dim3((n + Tile - 1) / Tile, (n + Tile - 1) / Tile), dim3(Tile, Tile)>>>(a, b, n);
  other<<<(n + 31) / 32, 32>>>(a, b, n);
  lone<<<(n + Tile - 1) / Tile, Tile>>>(a, b, n);
  float *host = new float[count];
  cudaMemcpy(host, b, count * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += host[i] * (i % 7 + 1);
  printf("%g\n", sum);
}
