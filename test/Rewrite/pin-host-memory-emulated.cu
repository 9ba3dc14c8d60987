// Original and result run in the emulator and agree.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,pin-host-memory' --apply-all --verify=emulator --emulate-args 1 -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,pin-host-memory' --apply-all --verify=emulator --emulate-args 31 -o %t.31.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,pin-host-memory' --apply-all --verify=emulator --emulate-args 33 -o %t.33.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,pin-host-memory' --apply-all --verify=emulator --emulate-args 1000 -o %t.1000.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,pin-host-memory' --apply-all --verify=emulator --emulate-args 1023 -o %t.1023.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=TEXT --input-file=%t.1.cu

#include "apply.h"
#include <vector>

__global__ void work(const float *in, float *out, int n, int round) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * round;
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *host = (float *)malloc(n * sizeof(float));
  std::vector<float> result(n);
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  // TEXT: const bool resultPinned =
  // TEXT-NEXT: cudaHostRegister(result.data(), result.size() * sizeof(result[0]),
  // TEXT-NEXT: cudaHostRegisterDefault) == cudaSuccess;
  // TEXT-NEXT: if (!resultPinned)
  // TEXT-NEXT: cudaGetLastError();
  // TEXT-NEXT: for (int round
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < n; i++)
      host[i] = i + round;
    cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice);
    work<<<(n + 127) / 128, 128>>>(in, out, n, round);
    cudaMemcpy(result.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %g\n", (double)result[0], (double)result[n - 1]);
  }
  // TEXT: if (resultPinned)
  // TEXT-NEXT: cudaHostUnregister(result.data());
  // TEXT: cudaFreeHost(host);
  free(host);
  cudaFree(in);
  cudaFree(out);
  return 0;
}
