// Launches that must stay apart.
// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels' --list-sites --fp-class=reduced-precision -- %fake_cuda > %t.sites
// RUN: FileCheck %s --input-file=%t.sites --implicit-check-not='fuse-kernels:'
// Only the first pair of main() may become one kernel.
// CHECK: fuse-kernels-refused.cu:[[#]]: fuse-kernels:copy+inPlace [exact]

#include <libc.h>

__global__ void copy(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i];
}
__global__ void inPlace(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = a[i] + 1;
}
// Neighbours: a step of a stencil waits for all of the step before.
__global__ void smooth(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    out[i] = (in[i - 1] + in[i + 1]) / 2;
}
__global__ void reversed(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[n - 1 - i];
}
__global__ void strided(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[2 * i] = a[2 * i + 2];
}
__global__ void gathered(const int *at, const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[at[i]];
}
__global__ void first(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[0];
}
// A row and a column, the bound of the column not being the width.
__global__ void plane(float *a, int rows, int columns, int width) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < columns)
    a[row * width + col] += 1;
}
__global__ void transposed(const float *in, float *out, int rows, int columns) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < columns)
    out[row * columns + col] = in[col * rows + row];
}
// A barrier and shared memory.
__global__ void shifted(const float *in, float *out) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x ^ 1];
}
__global__ void counts(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&a[0], 1);
}
// A thread may end before the rest.
__global__ void leaves(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (a[i] < 0)
      return;
    a[i] = 1;
  }
}
template <typename T> __global__ void generic(T *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = a[i] + 1;
}
__global__ __launch_bounds__(128) void bounded(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = a[i] + 1;
}
__global__ void branches(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef DOUBLES
  n *= 2;
#endif
  if (i < n)
    a[i] = a[i] + 1;
}
// Elements of another size.
__global__ void halves(short *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = 1;
}
int next(int n);
int next(int n) {
  static int last = 0;
  return last += n;
}

int main() {
  int n = 1000, m = 128;
  float *dA, *dB, *dC, *dEither;
  int *dI;
  cudaMalloc((void **)&dA, 4000);
  cudaMalloc((void **)&dB, 4000);
  cudaMalloc((void **)&dC, 4000);
  cudaMalloc((void **)&dI, 4000);
  dEither = n > m ? dA : dB;
  static float host[1000];

  copy<<<8, 128>>>(dA, dB, n);
  inPlace<<<8, 128>>>(dB, n);
  cudaDeviceSynchronize();

  smooth<<<8, 128>>>(dA, dB, n);
  smooth<<<8, 128>>>(dB, dA, n);
  cudaDeviceSynchronize();
  // The second writes what neighbours of the first have yet to read.
  smooth<<<8, 128>>>(dA, dB, n);
  copy<<<8, 128>>>(dC, dA, n);
  cudaDeviceSynchronize();
  copy<<<8, 128>>>(dA, dB, n);
  reversed<<<8, 128>>>(dB, dC, n);
  cudaDeviceSynchronize();
  inPlace<<<8, 128>>>(dA, n);
  strided<<<8, 128>>>(dA, n / 4);
  cudaDeviceSynchronize();
  inPlace<<<8, 128>>>(dA, n);
  gathered<<<8, 128>>>(dI, dA, dB, n);
  cudaDeviceSynchronize();
  inPlace<<<8, 128>>>(dA, n);
  first<<<8, 128>>>(dA, dB, n);
  cudaDeviceSynchronize();
  plane<<<dim3(2, 2), dim3(16, 16)>>>(dA, 20, 30, 25);
  plane<<<dim3(2, 2), dim3(16, 16)>>>(dA, 20, 30, 25);
  cudaDeviceSynchronize();
  plane<<<dim3(2, 2), dim3(16, 16)>>>(dA, 20, 30, 30);
  transposed<<<dim3(2, 2), dim3(16, 16)>>>(dA, dB, 20, 30);
  cudaDeviceSynchronize();
  shifted<<<8, 128>>>(dA, dB);
  copy<<<8, 128>>>(dB, dC, n);
  cudaDeviceSynchronize();
  counts<<<8, 128>>>(dI, n);
  inPlace<<<8, 128>>>(dA, n);
  cudaDeviceSynchronize();
  leaves<<<8, 128>>>(dA, n);
  inPlace<<<8, 128>>>(dA, n);
  cudaDeviceSynchronize();
  generic<<<8, 128>>>(dA, n);
  inPlace<<<8, 128>>>(dA, n);
  cudaDeviceSynchronize();
  bounded<<<8, 128>>>(dA, n);
  inPlace<<<8, 128>>>(dA, n);
  cudaDeviceSynchronize();
  branches<<<8, 128>>>(dA, n);
  inPlace<<<8, 128>>>(dA, n);
  cudaDeviceSynchronize();
  inPlace<<<8, 128>>>(dA, n);
  halves<<<8, 128>>>((short *)dA, n);
  cudaDeviceSynchronize();

  // Pointers that may meet, at other places than their own.
  copy<<<8, 128>>>(dC, dA, n);
  copy<<<8, 128>>>(dEither, dC, n);
  cudaDeviceSynchronize();
  copy<<<4, 128>>>(dC, dA, 500);
  copy<<<4, 128>>>(dA + 1, dB, 500);
  cudaDeviceSynchronize();

  // Another shape, threads that share an element, or something in between.
  copy<<<8, 128>>>(dA, dB, n);
  inPlace<<<4, 256>>>(dB, n);
  cudaDeviceSynchronize();
  copy<<<dim3(8, 2), 128>>>(dA, dB, n);
  inPlace<<<dim3(8, 2), 128>>>(dB, n);
  cudaDeviceSynchronize();
  copy<<<8, m>>>(dA, dB, n);
  m = 64;
  inPlace<<<8, m>>>(dB, n);
  cudaDeviceSynchronize();
  copy<<<8, next(1)>>>(dA, dB, n);
  inPlace<<<8, next(1)>>>(dB, n);
  cudaDeviceSynchronize();
  copy<<<8, 128>>>(dA, dB, next(2));
  inPlace<<<8, 128>>>(dB, n);
  cudaDeviceSynchronize();
  copy<<<8, 128>>>(dA, dB, n);
  cudaMemcpy(host, dB, 4000, cudaMemcpyDeviceToHost);
  inPlace<<<8, 128>>>(dB, n);
  cudaDeviceSynchronize();
  copy<<<8, 128>>>(dA, dB, n);
  if (n > 100)
    inPlace<<<8, 128>>>(dB, n);
  cudaDeviceSynchronize();
  copy<<<8, 128, 64>>>(dA, dB, n);
  inPlace<<<8, 128>>>(dB, n);
  return 0;
}
