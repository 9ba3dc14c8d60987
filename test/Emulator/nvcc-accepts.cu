// What nvcc at most warns of runs, though Clang calls it an error.
// REQUIRES: emulator
// RUN: %emulate %s | FileCheck %s

__global__ void twice(int *out, int n) {
  register int i = threadIdx.x;
  if (i < n)
    out[i] = n * i;
}

int main() {
  register int n = 2;
  int *out, host[2];
  cudaMalloc(&out, sizeof(host));
  twice<<<1, 2>>>(out, n);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  // CHECK: 0 2
  printf("%d %d\n", host[0], host[1]);
  return 0;
}
