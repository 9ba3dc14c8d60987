// Buffers that must be filled before they are read.
// RUN: cuda-l1-opt %s --rules='-*,inline-producer' --list-sites --fp-class=reduced-precision -- %fake_cuda > %t.sites
// RUN: FileCheck %s --input-file=%t.sites --implicit-check-not='inline-producer:'
// Only the first pair of main() may become one kernel.
// CHECK: inline-producer-refused.cu:[[#]]: inline-producer:fill+fine [reassociate]

#include <libc.h>

__device__ float twice(float x) { return x * 2; }

__global__ void fill(const float *a, float *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] = a[i] * 2;
}
__global__ void fillByCall(const float *a, float *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] = twice(a[i]);
}
// More than one assignment, or in place.
__global__ void fillTwo(const float *a, float *r, float *s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] * 2;
    s[i] = a[i];
  }
}
__global__ void inPlace(float *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] = r[i] * 2;
}
__global__ void fillFirst(const float *a, float *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] > 0)
    r[i] = a[i] * 2;
}

__global__ void fine(const float *r, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[threadIdx.x] += r[i];
}
__global__ void c1(const float *r, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[threadIdx.x] += r[i];
}
__global__ void c2(const float *r, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[threadIdx.x] += r[i];
}
__global__ void c3(const float *r, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[threadIdx.x] += r[i];
}
__global__ void c4(const float *r, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[threadIdx.x] += r[i];
}
__global__ void c5(const float *r, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[threadIdx.x] += r[i];
}
__global__ void c6(const float *r, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[threadIdx.x] += r[i];
}
__global__ void c7(const float *r, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[threadIdx.x] += r[i];
}
__global__ void c8(const float *r, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[threadIdx.x] += r[i];
}
__global__ void c9(const float *r, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[threadIdx.x] += r[i];
}
__global__ void unbounded(const float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = r[i];
  if (i < n)
    out[i] = x;
}
__global__ void oneFurther(const float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = r[i + 1];
}
__global__ void oneBefore(const float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = r[i - 1];
}
__global__ void otherWay(const float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    out[i] = r[i];
}
__global__ void readTwice(const float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n)
    out[i] = r[i] - r[i - 1];
}
__global__ void writesIt(float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] += 1;
}
__global__ void address(const float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float *p = &r[i];
    out[i] = p[0];
  }
}
__global__ void longIndex(const float *r, float *out, int n) {
  for (long i = threadIdx.x; i < n; i += blockDim.x)
    out[threadIdx.x] += r[i];
}
// A bound that changes on the way.
__global__ void changes(const float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  n *= 2;
  if (i < n)
    out[i] = r[i];
}
__global__ void hides(const float *r, float *out, int n) {
  float twice = 2;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = r[i] + twice;
}
template <typename T> __global__ void generic(const T *r, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = r[i];
}
__global__ void halves(const short *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = r[i];
}

int main() {
  int n = 1000, m = 900;
  int blocks = (n + 127) / 128;
  float *a, *b, *out, *r0;
  cudaMalloc((void **)&a, 8000);
  cudaMalloc((void **)&b, 8000);
  cudaMalloc((void **)&out, 8000);
  cudaMalloc((void **)&r0, 4000);
  static float host[1000];
  float *r1, *r2, *r3, *r4, *r5, *r6, *r7, *r8, *r9, *r10, *r11, *r12, *r13,
      *r14, *r15, *r16, *r17, *r18, *r19, *r20, *r21;
  cudaMalloc((void **)&r1, 4000);
  cudaMalloc((void **)&r2, 4000);
  cudaMalloc((void **)&r3, 4000);
  cudaMalloc((void **)&r4, 4000);
  cudaMalloc((void **)&r5, 4000);
  cudaMalloc((void **)&r6, 4000);
  cudaMalloc((void **)&r7, 4000);
  cudaMalloc((void **)&r8, 4000);
  cudaMalloc((void **)&r9, 4000);
  cudaMalloc((void **)&r10, 4000);
  cudaMalloc((void **)&r11, 4000);
  cudaMalloc((void **)&r12, 4000);
  cudaMalloc((void **)&r13, 4000);
  cudaMalloc((void **)&r14, 4000);
  cudaMalloc((void **)&r15, 4000);
  cudaMalloc((void **)&r16, 4000);
  cudaMalloc((void **)&r17, 4000);
  cudaMalloc((void **)&r18, 4000);
  cudaMalloc((void **)&r19, 4000);
  cudaMalloc((void **)&r20, 4000);
  cudaMalloc((void **)&r21, 4000);

  fill<<<blocks, 128>>>(a, r0, n);
  fine<<<1, 128>>>(r0, out, n);
  cudaDeviceSynchronize();

  // Read later as well, by the host or another kernel.
  fill<<<blocks, 128>>>(a, r1, n);
  c1<<<1, 128>>>(r1, out, n);
  cudaMemcpy(host, r1, 4000, cudaMemcpyDeviceToHost);
  fill<<<blocks, 128>>>(a, r2, n);
  c2<<<1, 128>>>(r2, out, n);
  inPlace<<<blocks, 128>>>(r2, n);
  cudaDeviceSynchronize();
  // Not all elements are filled, or others are read.
  fill<<<4, 128>>>(a, r3, n);
  c3<<<1, 128>>>(r3, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r4, m);
  c4<<<1, 128>>>(r4, out, n);
  cudaDeviceSynchronize();
  fillFirst<<<blocks, 128>>>(a, r5, n);
  c5<<<1, 128>>>(r5, out, n);
  cudaDeviceSynchronize();
  // The second kernel writes what the elements are made of.
  fill<<<blocks, 128>>>(a, r6, n);
  c6<<<1, 128>>>(r6, a, n);
  cudaDeviceSynchronize();
  // Something in between.
  fill<<<blocks, 128>>>(a, r7, n);
  cudaMemcpy(a, b, 4000, cudaMemcpyDeviceToDevice);
  c7<<<1, 128>>>(r7, out, n);
  cudaDeviceSynchronize();
  fillTwo<<<blocks, 128>>>(a, r8, b, n);
  c8<<<1, 128>>>(r8, out, n);
  cudaDeviceSynchronize();
  inPlace<<<blocks, 128>>>(r9, n);
  c9<<<1, 128>>>(r9, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r10, n);
  unbounded<<<blocks, 128>>>(r10, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r11, n);
  oneFurther<<<blocks, 128>>>(r11, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r12, n);
  oneBefore<<<blocks, 128>>>(r12, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r13, n);
  otherWay<<<blocks, 128>>>(r13, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r14, n);
  readTwice<<<blocks, 128>>>(r14, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r15, n);
  writesIt<<<blocks, 128>>>(r15, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r16, n);
  address<<<blocks, 128>>>(r16, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r17, n);
  longIndex<<<blocks, 128>>>(r17, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r18, n);
  changes<<<blocks, 128>>>(r18, out, n);
  cudaDeviceSynchronize();
  fillByCall<<<blocks, 128>>>(a, r19, n);
  hides<<<blocks, 128>>>(r19, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r20, n);
  generic<<<blocks, 128>>>(r20, out, n);
  cudaDeviceSynchronize();
  fill<<<blocks, 128>>>(a, r21, n);
  halves<<<blocks, 128>>>((const short *)r21, out, n);
  cudaDeviceSynchronize();
  return 0;
}
