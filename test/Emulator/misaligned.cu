// REQUIRES: emulator
// RUN: not %emulate %s 2>&1 | FileCheck %s

__global__ void set(float *to) {
  // CHECK: misaligned.cu:[[#@LINE+1]]:{{[0-9]+}}: misaligned: 4 bytes written at byte 4 of a 64-byte allocation (number 1): the address must be a multiple of 16
  *(float4 *)(to + 1) = float4{1, 2, 3, 4};
}

int main() {
  float *to;
  cudaMalloc(&to, 64);
  set<<<1, 1>>>(to);
  return cudaDeviceSynchronize();
}
