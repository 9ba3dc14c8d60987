// Original and result run in the emulator and agree as far as the class allows.
// With the toolkit's own header: the rule is about its functions.
// REQUIRES: emulator, nvcc
// RUN: cuda-l1-opt %s --rules='-*,fast-math' --apply-all --verify=emulator --emulate-args 33 -o %t.cu 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: not cmp -s %s %t.cu
// RUN: FileCheck --check-prefix=CHANGED --input-file %t.cu %s

#include <cstdio>
#include <cstdlib>

__global__ void apply(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    // CHANGED: {{^[^/]*}}__expf
    out[i] = expf(-in[i] * in[i]);
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  static float host[4096];
  for (int i = 0; i < 4096; ++i)
    host[i] = (i * 37 % 101 - 50) / 25.0f;
  float *in, *out;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof(host));
  apply<<<(n + 31) / 32, 32>>>(out, in, n);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[0], host[n - 1]);
  return 0;
}
