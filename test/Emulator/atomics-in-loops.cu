// A loop waits for other threads if it looks at what its atomic operations
// return; a long loop that does not look never counts as waiting.
// REQUIRES: emulator
// RUN: %emulate %s -o %t.exe --device-ir=%t.ll
// RUN: FileCheck --input-file=%t.ll %s
// RUN: %t.exe | FileCheck --check-prefix=OUTPUT %s

// CHECK-LABEL: define {{.*}}counts
// CHECK-NOT: spin_hint
__global__ void counts(int *total, int n) {
  for (int i = 0; i < n; ++i)
    atomicAdd(total, i);
}

// CHECK-LABEL: define {{.*}}takesTurns
// CHECK: spin_hint
__global__ void takesTurns(int *turn) {
  while (atomicAdd(turn, 0) != threadIdx.x) {
  }
  atomicAdd(turn, 1);
}

int main() {
  int *memory, host[2];
  cudaMalloc(&memory, sizeof(host));
  cudaMemset(memory, 0, sizeof(host));
  counts<<<1, 32>>>(memory, 10);
  takesTurns<<<1, 32>>>(memory + 1);
  cudaMemcpy(host, memory, sizeof(host), cudaMemcpyDeviceToHost);
  // OUTPUT: 1440 32
  printf("%d %d\n", host[0], host[1]);
  return 0;
}
