// REQUIRES: emulator
// RUN: not %emulate %s 2>&1 | FileCheck %s

__global__ void set(int *to) {
  // CHECK: use-after-free.cu:[[#@LINE+1]]:{{[0-9]+}}: use-after-free: 4 bytes written at byte 0 of
  to[threadIdx.x] = 1;
}

int main() {
  int *to;
  cudaMalloc(&to, 16);
  cudaFree(to);
  set<<<1, 1>>>(to);
  return cudaDeviceSynchronize();
}
