// RUN: cuda-l1-opt %s --rules='-*,inline-producer' --apply-all -- %fake_cuda > %t.cu
// RUN: grep -v "// CHECK" %t.cu | FileCheck %s
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,inline-producer' --apply-all -- %fake_cuda | diff %t.cu -

#include <libc.h>

__device__ float square(float x) { return x * x; }

// Scales, and squares.
__global__ void scaledSquare(const float *a, float scale, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = square(a[i] * scale);
}

// Each block sums what it reads.
__global__ void blockSums(float *in, float *sums, int n) {
  __shared__ float partial[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (threadIdx.x < s)
      partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = partial[0];
}

// The value is rounded as it was in memory, and knows its own number.
__global__ void ramp(const float *slope, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  out[i] = slope[i] + i * 0.5;
}

// A loop over all elements, other threads' too.
__global__ void striding(float *sums, const float *values, int n) {
  float sum = 0;
  for (int at = threadIdx.x; at < n; at += blockDim.x)
    sum += values[at];
  sums[threadIdx.x] = sum;
}

int main() {
  int n = 1000;
  float *dA, *dSums;
  float *dSquares, *dRamp = nullptr;
  cudaMalloc((void **)&dA, 4000);
  cudaMalloc((void **)&dSums, 512);
  cudaMalloc((void **)&dSquares, n * sizeof(float));
  cudaMalloc((void **)&dRamp, 4000);
  for (int step = 0; step < 2; step++) {
    scaledSquare<<<(n + 127) / 128, 128>>>(dA, 0.5f, dSquares, n);
    cudaGetLastError();
    blockSums<<<(n + 127) / 128, 128>>>(dSquares, dSums, n);
    cudaGetLastError();
    ramp<<<(n + 255) / 256, 256>>>(dA, dRamp, n);
    striding<<<1, 128>>>(dSums, dRamp, n);
  }
  cudaDeviceSynchronize();
  cudaFree(dA);
  cudaFree(dSquares);
  cudaFree(dRamp);
  return 0;
}

// CHECK: __device__ float square
// CHECK-NOT: scaledSquare
// CHECK: // Each block sums what it reads.
// CHECK-NEXT: __global__ void blockSums(const float *a, float scale, float *sums, int n) {
// CHECK:   partial[threadIdx.x] = i < n ? square(a[i] * scale) : 0.0f;
// CHECK-NOT: void ramp
// CHECK: __global__ void striding(float *sums, const float *slope, int n) {
// CHECK:     sum += (float)(slope[at] + at * 0.5);
// CHECK:   float *dA, *dSums;
// CHECK-NEXT:   cudaMalloc((void **)&dA, 4000);
// CHECK-NEXT:   cudaMalloc((void **)&dSums, 512);
// CHECK-NEXT:   for
// CHECK-NEXT:     cudaGetLastError();
// CHECK-NEXT:     blockSums<<<(n + 127) / 128, 128>>>(dA, 0.5f, dSums, n);
// CHECK:     striding<<<1, 128>>>(dSums, dA, n);
// CHECK:   cudaFree(dA);
// CHECK-NEXT:   return 0;
