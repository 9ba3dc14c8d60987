// Memory that nobody wrote is told when it is read.
// REQUIRES: emulator
// RUN: not %emulate %s 2>&1 | FileCheck %s

__global__ void sum(int *to, const int *from) {
  // CHECK: uninitialized.cu:[[#@LINE+1]]:{{[0-9]+}}: uninitialized: 4 bytes read at byte 8
  to[threadIdx.x] = from[threadIdx.x] + 1;
}

// Also where a loop does nothing but copy to an array of the thread's own.
__global__ void viaArray(int *to, const int *from, int k) {
  int own[8];
  for (int i = 0; i < 8; ++i)
    // CHECK: uninitialized.cu:[[#@LINE+1]]:{{[0-9]+}}: uninitialized: 4 bytes read at byte 8
    own[i] = from[i];
  to[0] = own[k] + own[k ^ 1];
}

int main() {
  int *to, *from;
  cudaMalloc(&to, 16);
  cudaMalloc(&from, 32);
  cudaMemset(from, 0, 8);
  sum<<<1, 4>>>(to, from);
  viaArray<<<1, 1>>>(to, from, 1);
  return cudaDeviceSynchronize();
}
