// An atomic store that releases orders what the thread wrote before it, within
// a block as well; one that does not is no excuse.
// REQUIRES: emulator
// RUN: %emulate --checks=races %s
// RUN: %emulate --checks=races --order=reverse %s
// RUN: not cuda-l1-emu --checks=races --flags="%runnable_cuda -DORDER=__ATOMIC_RELAXED" %s 2>&1 | FileCheck %s

#ifndef ORDER
#define ORDER __ATOMIC_RELEASE
#endif

__global__ void pass(int *data, int *flag) {
  if (threadIdx.x == 0) {
    data[0] = 5;
    __atomic_store_n(flag, 1, ORDER);
  } else if (threadIdx.x == 33) {
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
      ;
    // CHECK: release.cu:[[#@LINE+1]]:{{.*}}: race: read
    data[1] = data[0];
  }
}

int main() {
  int *data, *flag;
  cudaMalloc(&data, 8);
  cudaMalloc(&flag, 4);
  cudaMemset(flag, 0, 4);
  pass<<<1, 64>>>(data, flag);
  return cudaDeviceSynchronize();
}
