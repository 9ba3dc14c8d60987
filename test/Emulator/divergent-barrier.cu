// REQUIRES: emulator
// RUN: not %emulate %s 2>&1 | FileCheck %s

__global__ void diverge(int *to) {
  if (threadIdx.x < 8) {
    // CHECK: divergent-barrier.cu:{{[0-9]+}}:{{[0-9]+}}: divergent-barrier:
    __syncthreads();
    to[threadIdx.x] = 1;
  } else {
    __syncthreads();
    to[threadIdx.x] = 2;
  }
}

int main() {
  int *to;
  cudaMalloc(&to, 256);
  diverge<<<1, 64>>>(to);
  return cudaDeviceSynchronize();
}
