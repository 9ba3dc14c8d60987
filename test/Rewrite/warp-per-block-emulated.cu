// Original and result run in the emulator: whole numbers agree to the bit, sums
// as far as the class allows; nothing is written behind the last block.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,warp-per-block' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,warp-per-block' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "31" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,warp-per-block' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "33" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,warp-per-block' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "1000" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --apply=warp-per-block:sums{warps=8} --apply=warp-per-block:parity{warps=8} --fp-class=reassociate --verify=emulator --emulate-args "1023" -o %t.5.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,warp-per-block' --apply-all --fp-class=exact --verify=emulator --emulate-args "4097" -o %t.6.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: %emulate --checks=races %t.4.cu -- 1000
// RUN: FileCheck %s --check-prefix=BOTH < %t.4.cu
// BOTH-COUNT-2: {{^ +}}// Each warp does what a block

#include "apply.h"

#define BLOCK_SIZE 64

__global__ void sums(const float *in, float *out, int n) {
  __shared__ float partial[BLOCK_SIZE];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0)
      partial[tid] += partial[tid + s];
    __syncthreads();
  }
  if (tid == 0)
    out[blockIdx.x] = partial[0];
}

__global__ void parity(const int *in, int *out, int n) {
  __shared__ int bits[128];
  const int t = threadIdx.x;
  int mine = t;
  for (int i = blockIdx.x * 128 + t; i < n; i += n)
    mine = in[i] * (t + 1);
  bits[t] = mine;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (t < s)
      bits[t] ^= bits[t + s];
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = bits[0];
  }
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  static float host[8192];
  static int numbers[8192];
  for (int i = 0; i < 8192; ++i) {
    host[i] = (i * 37 % 101) / 16.0f;
    numbers[i] = i * 7919 % 1009;
  }
  float *in, *out, *next;
  int *p, *q;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMalloc(&next, sizeof(host));
  cudaMalloc(&p, sizeof(host));
  cudaMalloc(&q, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(p, numbers, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemset(out, 1, sizeof(host));
  cudaMemset(next, 2, sizeof(host));
  cudaMemset(q, 3, sizeof(host));
  int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  sums<<<blocks, BLOCK_SIZE>>>(in, out, n);
  for (int left = blocks; left > 1;) {
    int fewer = (left + BLOCK_SIZE - 1) / BLOCK_SIZE;
    sums<<<fewer, BLOCK_SIZE>>>(out, next, left);
    left = fewer;
  }
  parity<<<(n + 127) / 128, 128>>>(p, q, n);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", host[0], host[blocks - 1], host[blocks]);
  cudaMemcpy(host, next, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[0], host[1]);
  cudaMemcpy(numbers, q, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", numbers[0], numbers[(n - 1) / 128], numbers[(n + 127) / 128]);
  return 0;
}
