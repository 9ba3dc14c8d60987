// Original and result run in the emulator and agree, in all that is copied and
// in what the buffers hold when they are freed.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,keep-on-device' --apply-all --verify=emulator --emulate-args '1000 3' -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,keep-on-device' --apply-all --verify=emulator --emulate-args '33 1' -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,keep-on-device' --apply-all --verify=emulator --emulate-args '1 0' -o %t.0.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,keep-on-device' --apply-all --verify=emulator --emulate-args '1023 2' -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=TEXT --input-file=%t.3.cu

#include "apply.h"

__global__ void step(float *a, const float *weights, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = a[i] * weights[i] + 1;
}
__global__ void smooth(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = (in[i] + in[(i + 1) % n]) / 2;
}

int main(int argc, char **argv) {
  int n = number(argv[1]), rounds = number(argv[2]);
  size_t bytes = n * sizeof(float);
  float *state = (float *)malloc(bytes), *field = (float *)malloc(bytes);
  float *weights = (float *)malloc(bytes);
  for (int i = 0; i < n; i++) {
    state[i] = i;
    field[i] = i * i % 17;
    weights[i] = 0.5f + i % 3;
  }
  float *dState, *dIn, *dOut, *dWeights;
  cudaMalloc(&dState, bytes);
  cudaMalloc(&dIn, bytes);
  cudaMalloc(&dOut, bytes);
  cudaMalloc(&dWeights, bytes);
  cudaMemset(dState, 0, bytes);
  cudaMemset(dIn, 0, bytes);
  cudaMemset(dOut, 0, bytes);
  cudaMemset(dWeights, 0, bytes);
  for (int k = 0; k < rounds; k++) {
    cudaMemcpy(dState, state, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dWeights, weights, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dIn, field, bytes, cudaMemcpyHostToDevice);
    step<<<(n + 127) / 128, 128>>>(dState, dWeights, n);
    smooth<<<(n + 127) / 128, 128>>>(dIn, dOut, n);
    cudaMemcpy(state, dState, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(field, dOut, bytes, cudaMemcpyDeviceToHost);
  }
  // TEXT: if (rounds > 0)
  // TEXT-NEXT: cudaMemcpy(dState, state, bytes, cudaMemcpyHostToDevice);
  // TEXT: for (int k = 0; k < rounds; k++) {
  // TEXT-NEXT: if (k > 0)
  // TEXT-NEXT: cudaMemcpy(dIn, dOut, bytes, cudaMemcpyDeviceToDevice);
  // TEXT-NEXT: step
  // TEXT-NEXT: smooth
  // TEXT-NEXT: }
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += state[i] + field[i];
  printf("%g %g %g\n", (double)state[n - 1], (double)field[0], (double)sum);
  cudaFree(dState);
  cudaFree(dIn);
  cudaFree(dOut);
  cudaFree(dWeights);
  free(state);
  free(field);
  free(weights);
  return 0;
}
