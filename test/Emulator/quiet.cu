// What LLVM could not do with a loop is no news: nothing is printed.
// REQUIRES: emulator
// RUN: %emulate %s 2>&1 | FileCheck %s --allow-empty --implicit-check-not=warning

__global__ void sum(int *p, int n) {
#pragma unroll
  for (int i = 0; i < n; ++i)
    if (p[i] > 3)
      atomicAdd(p + i, p[i] * i);
    else
      return;
}

int main() {
  int *p;
  cudaMalloc(&p, 16);
  cudaMemset(p, 0, 16);
  sum<<<1, 4>>>(p, 4);
  return cudaDeviceSynchronize();
}
