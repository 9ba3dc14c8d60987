// Original and result run in the emulator over rows that end before, at and
// behind the last element that stays in registers; all results are the same to
// the bit.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,keep-in-registers' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,keep-in-registers' --apply-all --verify=emulator --emulate-args "3 31" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,keep-in-registers' --apply-all --verify=emulator --emulate-args "2 33" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,keep-in-registers' --apply-all --verify=emulator --emulate-args "2 1000" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,keep-in-registers' --apply-all --verify=emulator --emulate-args "2 1023" -o %t.5.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,keep-in-registers' --apply-all --verify=emulator --emulate-args "2 1300" -o %t.6.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row,keep-in-registers' --apply-all --verify=emulator --emulate-args "31 257" -o %t.7.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --apply=parallelize-row:alone{threads=64} --apply=keep-in-registers{elements=4} --verify=emulator --emulate-args "2 1023" -o %t.8.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=KEPT < %t.4.cu
// KEPT-COUNT-2: keptX[k] =
// RUN: FileCheck %s --check-prefix=ALONE < %t.7.cu
// ALONE-LABEL: {{^}}__global__ void alone
// ALONE: {{^ *}}keptX[k] = c < cols ? x[row * cols + c] : 0.0f;
// ALONE: {{^ *}}keptSqrt[k] = sqrtf(most - keptX[k]);

#include "apply.h"

// A block for each row: sums of elements that are small integers do not depend
// on the order.
__global__ void spread(const float *x, float *y, int cols) {
  __shared__ float partial[64];
  int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 64)
    sum += x[row * cols + c];
  partial[threadIdx.x] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int t = 0; t < 64; ++t)
    sum += partial[t];
  for (int c = threadIdx.x; c < cols; c += 64)
    y[row * cols + c] = sqrtf(x[row * cols + c] + 20.0f) - sum / cols;
}

// Three loops, an index of their own, conditions and an element that is
// skipped.
template <typename T> __global__ void centred(const T *x, T *y, int cols) {
  __shared__ int many;
  if (threadIdx.x == 0)
    many = 0;
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const int at = blockIdx.x * cols + c;
    const T v = x[at];
    if (v < T(-10))
      atomicAdd(&many, 1);
  }
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    if (c != 7) {
      y[blockIdx.x * cols + c] = x[blockIdx.x * cols + c] + T(many);
    } else
      y[blockIdx.x * cols + c] = T(many);
}

// A thread for each row.
__global__ void alone(const float *x, float *y, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float most = x[row * cols];
  for (int c = 1; c < cols; c++)
    most = fmaxf(x[row * cols + c], most);
  int many = 0;
  for (int c = 0; c < cols; c++)
    if (sqrtf(most - x[row * cols + c]) > 2.5f)
      ++many;
  for (int c = 0; c < cols; c++)
    y[row * cols + c] = sqrtf(most - x[row * cols + c]) / many;
}

constexpr int Most = 16000;

template <typename T> T *fresh(int seed) {
  static T host[Most];
  for (int i = 0; i < Most; ++i)
    host[i] = T((i * 37 + seed) % 101 - 20);
  T *device;
  cudaMalloc(&device, sizeof(host));
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  return device;
}

template <typename T> void print(const T *device, int n) {
  static T host[Most];
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  double all = 0;
  for (int i = 0; i < n; ++i)
    all += host[i] * (i % 13 + 1);
  printf("%g %g %.9g\n", (double)host[0], (double)host[n - 1], all);
}

int main(int argc, char **argv) {
  int rows = number(argv[1]), cols = number(argv[2]);
  float *x = fresh<float>(1), *y = fresh<float>(2);
  double *p = fresh<double>(3), *q = fresh<double>(4);
  int *r = fresh<int>(5), *s = fresh<int>(6);
  spread<<<rows, 64>>>(x, y, cols);
  print(y, rows * cols);
  centred<<<rows, 32>>>(p, q, cols);
  print(q, rows * cols);
  centred<<<rows, 96>>>(r, s, cols);
  print(s, rows * cols);
  alone<<<(rows + 127) / 128, 128>>>(x, y, rows, cols);
  print(y, rows * cols);
  return 0;
}
