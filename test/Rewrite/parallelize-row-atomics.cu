// Atomic operations and stores behind the loops are made by one thread of the
// row, when the others are done with its elements.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all -- %runnable_cuda | grep -v CHECK | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all --verify=emulator --emulate-args "33 31" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply=parallelize-row:loss{threads=64} --verify=emulator --emulate-args "31 1000" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %emulate --checks=races %t.1.cu -- 33 31
// RUN: %emulate --checks=races %t.2.cu -- 5 300
// RIGHT: verified by emulation

#include "apply.h"

// CHECK-LABEL: void loss(
// CHECK:           losses[row] = sum
// CHECK-NEXT:    for (int c = lane; c < cols; c += 32)
// CHECK-NEXT:      gradient[row * cols + c] = logits[row * cols + c] / sum;
// CHECK-NEXT:    __syncwarp();
// CHECK-NEXT:    if (lane == 0) {
// CHECK-NEXT:      gradient[row * cols + labels[row]] -= 1.0f;
// CHECK-NEXT:      atomicAdd(total, losses[row]);
// CHECK-NEXT:    }
__global__ void loss(const float *logits, const int *labels, float *losses, float *gradient, float *total, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 1.0f;
    for (int c = 0; c < cols; c++)
      sum += logits[row * cols + c];
    losses[row] = sum - logits[row * cols + labels[row]];
    for (int c = 0; c < cols; c++)
      gradient[row * cols + c] = logits[row * cols + c] / sum;
    gradient[row * cols + labels[row]] -= 1.0f;
    atomicAdd(total, losses[row]);
  }
}

template <typename T> T *fresh(int count, int bound) {
  T *host = new T[count], *device;
  for (int i = 0; i < count; ++i)
    host[i] = T(i * 37 % bound);
  cudaMalloc(&device, count * sizeof(T));
  cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice);
  delete[] host;
  return device;
}

void print(const float *device, int count) {
  float *host = new float[count];
  cudaMemcpy(host, device, count * sizeof(float), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += host[i] * (i % 5 + 1);
  printf("%g\n", sum);
  delete[] host;
}

int main(int argc, char **argv) {
  int rows = number(argv[1]), cols = number(argv[2]);
  float *logits = fresh<float>(rows * cols, 11), *losses = fresh<float>(rows, 3);
  float *gradient = fresh<float>(rows * cols, 7), *total = fresh<float>(1, 2);
  int *labels = fresh<int>(rows, cols);
  loss<<<(rows + 127) / 128, 128>>>(logits, labels, losses, gradient, total, rows, cols);
  print(losses, rows);
  print(gradient, rows * cols);
  print(total, 1);
}
