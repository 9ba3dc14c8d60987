// A block for each row of the output and a thread for each column.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all -- %runnable_cuda > %t.cu
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "33 31" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply=tile-contraction:weighted{bm=32,bn=32,bk=32,tm=2,tn=2} --apply=tile-contraction:guarded{bm=64,bn=64,bk=16,tm=4,tn=4} --verify=emulator --emulate-args "131 40" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %emulate --checks=races %t.3.cu -- 35 7
// RIGHT: verified by emulation

#include "apply.h"

#define DEPTH 40

// CHECK-LABEL: weighted(
// CHECK:         const int blockI = blockIdx.x * BM;
// CHECK-NEXT:    const int blockD = blockIdx.y * BN;
// CHECK:         if (i < n && d < 40)
// CHECK-NEXT:      out[i * DEPTH + d] = sum[r][c];
__global__ void weighted(const float *s, const float *v, float *out, int n, int m) {
  int d = threadIdx.x;
  int i = blockIdx.x;
  out[i * DEPTH + d] = 0.0f;
  for (int j = 0; j < n; j++)
    out[i * DEPTH + d] += s[i * n + j] * v[j * DEPTH + d];
}

// CHECK-LABEL: guarded(
// CHECK:         if (row < n && col < 37)
// CHECK-NEXT:      out[row * 37 + col] = sum[i][j] / n;
__global__ void guarded(const float *s, const float *v, float *out, int n, int m) {
  int row = blockIdx.x, col = threadIdx.x;
  if (row >= n || col >= 37)
    return;
  float sum = 0;
  for (int k = 0; k < m; k++)
    sum += s[row * m + k] * v[k * 37 + col];
  out[row * 37 + col] = sum / n;
}

// Rows of the grid, too: each pair is computed several times.
// CHECK-LABEL: twice(
// CHECK-NEXT:    int d = threadIdx.x;
__global__ void twice(const float *s, const float *v, float *out, int n, int m) {
  int d = threadIdx.x;
  int i = blockIdx.x;
  out[i * DEPTH + d] = 0.0f;
  for (int j = 0; j < n; j++)
    out[i * DEPTH + d] += s[i * n + j] * v[j * DEPTH + d];
}

// The row counts on from the second.
// CHECK-LABEL: further(
// CHECK-NEXT:    int d = threadIdx.x;
__global__ void further(const float *s, const float *v, float *out, int n, int m) {
  int d = threadIdx.x;
  int i = blockIdx.x * gridDim.x;
  out[i * DEPTH + d] = 0.0f;
  for (int j = 0; j < n; j++)
    out[i * DEPTH + d] += s[i * n + j] * v[j * DEPTH + d];
}

// How many rows there are is passed by nothing.
// CHECK-LABEL: fewer(
// CHECK-NEXT:    int d = threadIdx.x;
__global__ void fewer(const float *s, const float *v, float *out, int n, int m) {
  int d = threadIdx.x;
  int i = blockIdx.x;
  out[i * DEPTH + d] = 0.0f;
  for (int j = 0; j < n; j++)
    out[i * DEPTH + d] += s[i * n + j] * v[j * DEPTH + d];
}

// Threads of a block of two dimensions.
// CHECK-LABEL: deep(
// CHECK-NEXT:    int d = threadIdx.x;
__global__ void deep(const float *s, const float *v, float *out, int n, int m) {
  int d = threadIdx.x;
  int i = blockIdx.x;
  out[i * DEPTH + d] = 0.0f;
  for (int j = 0; j < n; j++)
    out[i * DEPTH + d] += s[i * n + j] * v[j * DEPTH + d];
}

float *fresh(int count, int seed) {
  float *host = new float[count], *device;
  for (int i = 0; i < count; ++i)
    host[i] = float((i * 37 + seed) % 11 - 5) / 4;
  cudaMalloc(&device, count * sizeof(float));
  cudaMemcpy(device, host, count * sizeof(float), cudaMemcpyHostToDevice);
  delete[] host;
  return device;
}

void print(const float *device, int count) {
  float *host = new float[count];
  cudaMemcpy(host, device, count * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += (1 + i % 13) * (double)host[i];
  printf("%g %g %g\n", sum, (double)host[0], (double)host[count - 1]);
  delete[] host;
}

int main(int argc, char **argv) {
  int n = number(argv[1]), m = number(argv[2]);
  float *s = fresh(n * (n + m), 1), *v = fresh((n + m) * DEPTH, 2), *out = fresh(n * DEPTH, 3);
  // CHECK: weighted<<<(n + 127) / 128, 256>>>(s, v, out, n, m);
  weighted<<<n, DEPTH>>>(s, v, out, n, m);
  print(out, n * DEPTH);
  // CHECK: guarded<<<n / 128 + 1, 256>>>(s, v, out, n, m);
  guarded<<<n + 1, 64>>>(s, v, out, n, m);
  print(out, n * DEPTH);
  if (m > 1000) {
    twice<<<dim3(n, 2), DEPTH>>>(s, v, out, n, m);
    further<<<n, DEPTH>>>(s, v, out, n, m);
    fewer<<<n - 1, DEPTH>>>(s, v, out, n, m);
    deep<<<n, dim3(DEPTH, 2)>>>(s, v, out, n, m);
  }
}
