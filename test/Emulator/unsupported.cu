// What cannot be emulated ends the program with an exit code of its own when it
// is reached, and only then.
// REQUIRES: emulator
// RUN: not %emulate %s -- reach 2>&1 | FileCheck %s
// RUN: %emulate %s

__global__ void odd(int *to, int reach) {
  if (reach)
    // CHECK: unsupported.cu:[[#@LINE+1]]:{{[0-9]+}}: unsupported: {{.*}}mma.sync
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0}, {%0}, {%0}, {%0};" : "+r"(*to));
}

int main(int argc, char **argv) {
  int *to;
  cudaMalloc(&to, 4);
  cudaMemset(to, 0, 4);
  odd<<<1, 1>>>(to, argc > 1);
  return cudaDeviceSynchronize();
}
