// A learner's session without a GPU: open, look, step, go back, emulate.

// RUN: split-file %s %t
// RUN: sed s,FILE,%t/saxpy.cu, %t/session.jsonl | cuda-l1-env -- %runnable_cuda | FileCheck %s

// The program has one kernel; nothing is timed here.
// CHECK: "id":1,{{.*}}"protocol":1,"schema":"{{[0-9a-f]+}}"
// CHECK: {"id":2,"kernels":[{{.*}}"kernel":"saxpy"
// CHECK: {"actions":[{"features":{{.*}}{{.*}}"id":3,"kernel":"saxpy","log_speedup":0,"node":"[[ORIGINAL:[0-9a-f]+]]","state":{{.*}}"coalesced":3
// Its legal steps change when one is taken.
// CHECK: "applied":[{"params":{{.*}}"id":4
// CHECK: {"id":5,"right":true}
// CHECK: {"id":6,"text":"{{.*}}saxpy
// CHECK: {{.*}}"applied":[],"id":7,{{.*}}"node":"[[ORIGINAL]]"
// CHECK: {"actions":[{{.*}}],"id":11,"policy":"advisor","stop":{{[0-9.]+}}}
// CHECK: {"error":"nothing can be measured: {{.*}}","id":8}
// CHECK: {"id":9}
// CHECK: {"error":"no program is open: 'kernels' with a 'file' comes first","id":10}

//--- session.jsonl
{"id":1,"request":"hello"}
{"id":2,"request":"kernels","file":"FILE"}
{"id":3,"request":"reset","kernel":"saxpy"}
{"id":4,"request":"apply","action":0}
{"id":5,"request":"emulate"}
{"id":6,"request":"source"}
{"id":7,"request":"reset","kernel":"saxpy"}
{"id":11,"request":"scores","policy":"table"}
{"id":8,"request":"measure","actions":[0]}
{"id":9,"request":"close"}
{"id":10,"request":"sites"}

//--- saxpy.cu
#include <stdio.h>

__global__ void saxpy(float *y, float *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 100;
  float *x, *y, host[n];
  cudaMalloc((void **)&x, n * sizeof(float));
  cudaMalloc((void **)&y, n * sizeof(float));
  for (int i = 0; i < n; i++)
    host[i] = i;
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(y, host, sizeof host, cudaMemcpyHostToDevice);
  saxpy<<<1, 128>>>(y, x, 2.0f, n);
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  printf("%f\n", host[99]);
  return 0;
}
