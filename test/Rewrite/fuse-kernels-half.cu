// CUDA's arithmetic of half is assembly in a header: it computes, and no more.
// A kernel with assembly of its own stays apart.
// REQUIRES: nvcc
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels' --apply-all --fp-class=reduced-precision -- --cuda-path=%cuda_path -arch=sm_90 > %t.cu
// RUN: grep -v "// CHECK" %t.cu | FileCheck %s
// RUN: %nvcc -std=c++17 -cubin -o %t.cubin %t.cu

#include <cuda_fp16.h>

__global__ void axpy(half a, half *x, half *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = __hadd(__hmul(a, x[i]), y[i]);
}

// In place, the bound beside another condition.
__global__ void clip(half *y, float limit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && __half2float(y[i]) > limit)
    y[i] = __float2half(limit);
}

__global__ void clock(half *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned now;
  asm("mov.u32 %0, %%clock;" : "=r"(now));
  if (i < n && now > 100)
    y[i] = __float2half(1);
}

int main() {
  int n = 1000;
  half *dX, *dY;
  cudaMalloc(&dX, 2000);
  cudaMalloc(&dY, 2000);
#ifdef WITH_CLOCK
  clock<<<8, 128>>>(dX, n);
#endif
  axpy<<<8, 128>>>(__float2half(0.75f), dX, dY, n);
  clip<<<8, 128>>>(dY, 1.5f, n);
  cudaDeviceSynchronize();
  return 0;
}

// CHECK: __global__ void axpyClip(half a, half *x, half *y, int n, float limit) {
// CHECK-NEXT:   int i = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT:   if (i < n) {
// CHECK-NEXT:     y[i] = __hadd(__hmul(a, x[i]), y[i]);
// CHECK-NEXT:   }
// CHECK-NEXT:   if (i < n && __half2float(y[i]) > limit)
// CHECK-NEXT:     y[i] = __float2half(limit);
// CHECK-NEXT: }
// CHECK:   axpyClip<<<8, 128>>>(__float2half(0.75f), dX, dY, n, 1.5f);

// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels' --list-sites --fp-class=reduced-precision -- --cuda-path=%cuda_path -arch=sm_90 -DWITH_CLOCK | FileCheck %s --check-prefix=CLOCK --allow-empty
// CLOCK-NOT: fuse-kernels:
