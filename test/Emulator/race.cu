// A missing barrier is found in whatever order the threads run.
// REQUIRES: emulator
// RUN: not %emulate --checks=races %s 2>&1 | FileCheck %s
// RUN: not %emulate --checks=races --order=reverse %s 2>&1 | FileCheck %s
// RUN: not %emulate --checks=races --order=random:3 %s 2>&1 | FileCheck %s
// RUN: %emulate --checks=races --flags="-DBARRIER -nocudainc -nocudalib -isystem %S/../Inputs/runnable-cuda -include cuda.h" %s

__global__ void reversed(int *to, const int *from) {
  __shared__ int tile[64];
  tile[threadIdx.x] = from[threadIdx.x];
#ifdef BARRIER
  __syncthreads();
#endif
  // CHECK: race.cu:{{[0-9]+}}:{{[0-9]+}}: race: {{.*}}shared{{.*}}'tile'
  to[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  int *to, *from;
  cudaMalloc(&to, 256);
  cudaMalloc(&from, 256);
  cudaMemset(from, 0, 256);
  reversed<<<1, 64>>>(to, from);
  return cudaDeviceSynchronize();
}
