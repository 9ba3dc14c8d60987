// RUN: cuda-l1-opt %s --rules='-*,drop-buffer' --apply-all -- %fake_cuda > %t.cu
// RUN: grep -v "// CHECK" %t.cu | FileCheck %s
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,drop-buffer' --apply-all -- %fake_cuda | diff %t.cu -

#include <libc.h>
#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess)                                                    \
      exit(1);                                                                 \
  } while (0)

// Written once, then read.
__global__ void chain(float *a, float *r, float *d_Sum, int n, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 0.1;
    d_Sum[i] = r[i] + 1;
    out[i] = d_Sum[i] / r[i];
  }
}

// Written on both ways, changed in a loop.
__global__ void branches(const float *a, float *m, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (a[i] > 0)
    m[i] = a[i];
  else
    m[i] = -a[i];
  for (int k = 0; k < 3; k++)
    m[i] += k;
  out[i] = m[i];
}

// Rows and columns; the last parameter, narrower than what is computed.
__global__ void plane(float *out, int rows, int columns, short *narrow) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < columns) {
    narrow[row * columns + col] = row * 1000 + col;
    out[row * columns + col] = narrow[row * columns + col];
  }
}

int main() {
  int n = 1000;
  float *dA, *dR, *dS, *dOut;
  float *dM;
  short *dN = nullptr;
  CUDA_CHECK(cudaMalloc((void **)&dA, 4000));
  CUDA_CHECK(cudaMalloc((void **)&dR, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void **)&dS, 4000));
  CUDA_CHECK(cudaMalloc((void **)&dM, 4000));
  cudaMalloc((void **)&dN, 4000);
  cudaMalloc((void **)&dOut, 4000);
  for (int step = 0; step < 3; step++) {
    chain<<<8, 128>>>(dA, dR, dS, n, dOut);
    branches<<<8, 128>>>(dOut, dM, dA, n);
  }
  plane<<<dim3(1, 2), dim3(32, 16)>>>(dA, 20, 30, dN);
  static float host[1000];
  cudaMemcpy(host, dA, 4000, cudaMemcpyDeviceToHost);
  cudaFree(dA);
  CUDA_CHECK(cudaFree(dR));
  cudaFree(dM);
  cudaFree(dN);
  cudaFree(dOut);
  return 0;
}

// CHECK: __global__ void chain(float *a, int n, float *out) {
// CHECK-NEXT:   int i = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT:   if (i < n) {
// CHECK-NEXT:     float r = a[i] + 0.1;
// CHECK-NEXT:     float sum = r + 1;
// CHECK-NEXT:     out[i] = sum / r;
// CHECK: __global__ void branches(const float *a, float *out, int n) {
// CHECK:   return;
// CHECK-NEXT:   float m;
// CHECK-NEXT:   if (a[i] > 0)
// CHECK-NEXT:     m = a[i];
// CHECK-NEXT:   else
// CHECK-NEXT:     m = -a[i];
// CHECK-NEXT:   for (int k = 0; k < 3; k++)
// CHECK-NEXT:     m += k;
// CHECK-NEXT:   out[i] = m;
// CHECK: __global__ void plane(float *out, int rows, int columns) {
// CHECK:     short narrow = row * 1000 + col;
// CHECK-NEXT:     out[row * columns + col] = narrow;
// CHECK:   int n = 1000;
// CHECK-NEXT:   float *dA, *dOut;
// CHECK-NEXT:   CUDA_CHECK(cudaMalloc((void **)&dA, 4000));
// CHECK-NEXT:   cudaMalloc((void **)&dOut, 4000);
// CHECK-NEXT:   for (int step
// CHECK-NEXT:     chain<<<8, 128>>>(dA, n, dOut);
// CHECK-NEXT:     branches<<<8, 128>>>(dOut, dA, n);
// CHECK:   plane<<<dim3(1, 2), dim3(32, 16)>>>(dA, 20, 30);
// CHECK:   cudaFree(dA);
// CHECK-NEXT:   cudaFree(dOut);
