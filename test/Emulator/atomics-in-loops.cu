// A loop waits for other threads if it looks at what its atomic operations
// return; a long loop that does not look never counts as waiting, and one that
// takes a number each time gets on by itself.
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

// CHECK-LABEL: define {{.*}}drains
// CHECK-NOT: spin_hint
// CHECK: ret void
__global__ void drains(int *next, int n) {
  while (atomicAdd(next, 1) < n) {
  }
}

int main() {
  int *memory, host[3];
  cudaMalloc(&memory, sizeof(host));
  cudaMemset(memory, 0, sizeof(host));
  counts<<<1, 32>>>(memory, 10);
  takesTurns<<<1, 32>>>(memory + 1);
  drains<<<1, 32>>>(memory + 2, 1000);
  cudaMemcpy(host, memory, sizeof(host), cudaMemcpyDeviceToHost);
  // OUTPUT: 1440 32 1032
  printf("%d %d %d\n", host[0], host[1], host[2]);
  return 0;
}
