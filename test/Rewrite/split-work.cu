// Original and result run in the emulator over rows and columns that divide
// neither a warp nor the number of warps.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,split-work' --apply-all -- %runnable_cuda > %t.cu
// RUN: grep -v CHECK %t.cu | FileCheck %s
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,split-work' --apply-all -- %runnable_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,split-work' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,split-work' --apply-all --verify=emulator --emulate-args "33 31" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,split-work' --apply=split-work:sums{parts=32} --apply=split-work:norms{parts=4} --apply=split-work:extremes{parts=8} --verify=emulator --emulate-args "1000 65" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %emulate --checks=races %t.2.cu -- 33 31
// RUN: %emulate --checks=races %t.3.cu -- 40 70
// RIGHT: verified by emulation

#include "apply.h"

// CHECK-LABEL: void sums(
// CHECK-NEXT:  // The 16 warps of a block share the loop of 32 columns.
// CHECK-NEXT:  __shared__ float partial[16][32];
// CHECK-NEXT:  const int lane = threadIdx.x % 32, part = threadIdx.x / 32;
// CHECK-NEXT:  int c = blockIdx.x * 32 + lane;
// CHECK-NEXT:  float sum = 0.0f;
// CHECK-NEXT:  if (c < columns) {
// CHECK-NEXT:    for (int r = part; r < rows; r += 16)
// CHECK-NEXT:      sum += a[r * columns + c];
// CHECK-NEXT:  }
// CHECK-NEXT:  partial[part][lane] = sum;
// CHECK-NEXT:  __syncthreads();
// CHECK-NEXT:  if (part == 0 && c < columns) {
// CHECK-NEXT:    for (int other = 1; other < 16; ++other)
// CHECK-NEXT:      sum += partial[other][lane];
// CHECK-NEXT:    out[c] = sum;
// CHECK-NEXT:  }
__global__ void sums(const float *a, float *out, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    out[c] = 0.0f;
    for (int r = 0; r < rows; r++)
      out[c] += a[r * columns + c];
  }
}

// CHECK-LABEL: void norms(
// CHECK:       int c = blockIdx.x * 32 + lane;
// CHECK-NEXT:  const float scale = 1.0f / rows;
// CHECK-NEXT:  float sum = 0.0f;
// CHECK-NEXT:  for (int r = part; c < columns && r < rows; r += 16)
// CHECK-NEXT:    sum += a[r * columns + c] * a[r * columns + c] * scale;
// CHECK-NEXT:  partial[part][lane] = sum;
// CHECK-NEXT:  __syncthreads();
// CHECK-NEXT:  if (part > 0 || c >= columns)
// CHECK-NEXT:    return;
// CHECK-NEXT:  for (int other = 1; other < 16; ++other)
// CHECK-NEXT:    sum += partial[other][lane];
// CHECK-NEXT:  out[c] = sqrtf(sum);
__global__ void norms(const float *a, float *out, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns)
    return;
  const float scale = 1.0f / rows;
  float sum = 0.0f;
  for (int r = 0; r < rows; r++)
    sum += a[r * columns + c] * a[r * columns + c] * scale;
  out[c] = sqrtf(sum);
}

// CHECK-LABEL: void extremes(
// CHECK:       __shared__ int partial[16][32];
// CHECK-NEXT:  __shared__ int partial2[16][32];
// CHECK:         for (int other = 1; other < 16; ++other) {
// CHECK-NEXT:      low = min(low, partial[other][lane]);
// CHECK-NEXT:      high = max(high, partial2[other][lane]);
// CHECK-NEXT:    }
// CHECK-NEXT:    least[c] = low;
// CHECK-NEXT:    if (high > low)
// CHECK-NEXT:      most[c] = high;
__global__ void extremes(const int *a, int *least, int *most, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    int low = 1 << 30;
    int high = -(1 << 30);
    for (int r = 0; r < rows; r++) {
      low = min(low, a[r * columns + c]);
      high = max(high, a[r * columns + c]);
    }
    least[c] = low;
    if (high > low)
      most[c] = high;
  }
}

template <typename T> T *fresh(int n, int seed) {
  T *host = new T[n], *device;
  for (int i = 0; i < n; ++i)
    host[i] = T((i * 37 + seed) % 101 - 20);
  cudaMalloc(&device, n * sizeof(T));
  cudaMemcpy(device, host, n * sizeof(T), cudaMemcpyHostToDevice);
  delete[] host;
  return device;
}

template <typename T> void print(const T *device, int n) {
  T *host = new T[n];
  cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", (double)host[0], (double)host[n / 2], (double)host[n - 1]);
  delete[] host;
}

int main(int argc, char **argv) {
  int rows = number(argv[1]), columns = number(argv[2]), n = rows * columns;
  float *a = fresh<float>(n, 1), *b = fresh<float>(columns, 2), *c = fresh<float>(columns, 3);
  int *p = fresh<int>(n, 4), *q = fresh<int>(columns, 5), *r = fresh<int>(columns, 6);
  // CHECK: sums<<<(columns + 31) / 32, 512>>>(a, b, rows, columns);
  sums<<<(columns + 127) / 128, 128>>>(a, b, rows, columns);
  norms<<<(columns + 127) / 128, 128>>>(a, c, rows, columns);
  extremes<<<(columns + 127) / 128, 128>>>(p, q, r, rows, columns);
  print(b, columns);
  print(c, columns);
  print(q, columns);
  print(r, columns);
}
