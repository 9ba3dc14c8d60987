// A kernel that is launched for one thread is one row, whose work a block
// shares.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all -- %runnable_cuda | grep -v CHECK | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all --verify=emulator --emulate-args "1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all --verify=emulator --emulate-args "1023" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply=parallelize-row:finish{threads=32} --apply=parallelize-row:normalise{threads=128} --verify=emulator --emulate-args "3000" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %emulate --checks=races %t.2.cu -- 1023
// RUN: %emulate --checks=races %t.3.cu -- 100
// RIGHT: verified by emulation

#include "apply.h"

// CHECK-LABEL: void finish(
// CHECK-NEXT:  // The 512 threads of a block share the work.
// CHECK-NEXT:  __shared__ float partial2[16];
// CHECK-NEXT:  const int thread = threadIdx.x;
// CHECK-NEXT:  float sum = 0;
// CHECK-NEXT:  for (int i = thread; i < count; i += 512)
// CHECK-NEXT:    sum += partial[i];
// CHECK:       if (thread == 0)
// CHECK-NEXT:    *result = sum;
__global__ void finish(float *partial, float *result, int count) {
  *result = 0;
  for (int i = 0; i < count; i++)
    *result += partial[i];
}

// CHECK-LABEL: void normalise(
// CHECK:         most = fmaxf(most, partial[warp]);
// CHECK-NEXT:    for (int i = thread; i < n; i += 512)
// CHECK-NEXT:      values[i] /= most;
__global__ void normalise(float *values, int n) {
  float most = 1.0f;
  for (int i = 0; i < n; ++i)
    most = fmaxf(most, values[i]);
  for (int i = 0; i < n; ++i)
    values[i] /= most;
}

// Another launch is of more threads.
// CHECK-LABEL: void often(
// CHECK-NEXT:  for (int i = 0; i < n; ++i)
__global__ void often(float *values, int n) {
  for (int i = 0; i < n; ++i)
    values[i] = 1.0f;
}

// A recurrence: each element is made of the one before.
// CHECK-LABEL: void scan(
// CHECK-NEXT:  for (int i = 1; i < n; ++i)
__global__ void scan(float *values, int n) {
  for (int i = 1; i < n; ++i)
    values[i] += values[i - 1];
}

// Asks how many threads there are.
// CHECK-LABEL: void counted(
// CHECK-NEXT:  for (int i = 0; i < n; ++i)
__global__ void counted(float *values, int n) {
  for (int i = 0; i < n; ++i)
    values[i] += blockDim.x;
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *values, *result, host[4096];
  for (int i = 0; i < n; ++i)
    host[i] = i % 17;
  cudaMalloc(&values, n * sizeof(float));
  cudaMalloc(&result, sizeof(float));
  cudaMemcpy(values, host, n * sizeof(float), cudaMemcpyHostToDevice);
  // CHECK: normalise<<<1, 512>>>(values, n);
  normalise<<<1, 1>>>(values, n);
  // CHECK: finish<<<1, block>>>(
  const int block = 1;
  finish<<<1, block>>>(values, result, n);
  cudaMemcpy(host, result, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", (double)host[0]);
  scan<<<1, 1>>>(values, n);
  counted<<<1, 1>>>(values, n);
  often<<<1, 1>>>(values, n);
  often<<<1, 32>>>(values, n);
  cudaMemcpy(host, values, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", (double)host[n - 1]);
}
