// Memory that nobody wrote is told when it is read.
// REQUIRES: emulator
// RUN: not %emulate %s 2>&1 | FileCheck %s

__global__ void sum(int *to, const int *from) {
  // CHECK: uninitialized.cu:[[#@LINE+1]]:{{[0-9]+}}: uninitialized: 4 bytes read at byte 8
  to[threadIdx.x] = from[threadIdx.x] + 1;
}

int main() {
  int *to, *from;
  cudaMalloc(&to, 16);
  cudaMalloc(&from, 16);
  cudaMemset(from, 0, 8);
  sum<<<1, 4>>>(to, from);
  return cudaDeviceSynchronize();
}
