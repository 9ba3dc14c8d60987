// A __managed__ variable is refused: Clang ignores the word, and the host would
// read a variable of its own.
// REQUIRES: emulator
// RUN: not %emulate %s 2>&1 | FileCheck %s

#ifndef __managed__ // as the toolkit's headers have it
#define __managed__ __attribute__((managed))
#endif

// CHECK: managed.cu:[[#@LINE+1]]:12: a __managed__ variable is not emulated
__device__ __managed__ int counter;

__global__ void count() { atomicAdd(&counter, 1); }

int main() {
  count<<<1, 32>>>();
  cudaDeviceSynchronize();
  return counter != 32;
}
