// A store is seen also where the same place was read just before: only the
// first read is of memory that nobody wrote.
// REQUIRES: emulator
// RUN: not %emulate %s 2>&1 | FileCheck %s --implicit-check-not=uninitialized:

__global__ void change(int *p) {
  // CHECK: written-after-read.cu:[[#@LINE+1]]:{{[0-9]+}}: uninitialized: 4 bytes read
  p[threadIdx.x] += 1;
}

__global__ void use(int *to, const int *p) {
  to[threadIdx.x] = p[threadIdx.x];
}

int main() {
  int *p, *to;
  cudaMalloc(&p, 16);
  cudaMalloc(&to, 16);
  change<<<1, 4>>>(p);
  use<<<1, 4>>>(to, p);
  return cudaDeviceSynchronize();
}
