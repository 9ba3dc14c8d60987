// An access past an allocation's end is told with its line, once.
// REQUIRES: emulator
// RUN: not %emulate %s 2>&1 | FileCheck %s
// RUN: not %emulate %s --findings %t.json > /dev/null 2>&1
// RUN: FileCheck --check-prefix=JSON --input-file %t.json %s

__global__ void copy(int *to, const int *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: out-of-bounds.cu:[[#@LINE+2]]:{{[0-9]+}}: out-of-bounds: 4 bytes written directly past the end of a 400-byte allocation
  if (i <= n)
    to[i] = from[i < n ? i : 0];
}

// JSON: "kind": "out-of-bounds"
int main() {
  int *to, *from;
  cudaMalloc(&to, 400);
  cudaMalloc(&from, 400);
  cudaMemset(from, 1, 400);
  copy<<<4, 32>>>(to, from, 100);
  return cudaDeviceSynchronize();
}
