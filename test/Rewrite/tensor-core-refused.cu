// What tensor cores would not compute as the author wrote it, or not at all.
// RUN: cuda-l1-opt %s --rules='-*,tensor-core' --list-sites -- %fake_cuda -arch=sm_90 | FileCheck %s
// CHECK:     tensor-core:fine
// CHECK-NOT: tensor-core:

#include <cuda_fp16.h>

__global__ void fine(const half *A, const half *B, float *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += (float)A[row * n + k] * (float)B[k * n + col];
  C[row * n + col] = alpha * sum;
}

// Sums in double are better than those of tensor cores.
__global__ void doubleSum(const half *A, const half *B, float *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += (float)A[row * n + k] * (float)B[k * n + col];
  C[row * n + col] = sum;
}

// alpha times a half is no half.
__global__ void scaled(const half *A, const half *B, float *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += alpha * (float)A[row * n + k] * (float)B[k * n + col];
  C[row * n + col] = sum;
}

// Products rounded to half.
__global__ void rounded(const half *A, const half *B, float *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += __half2float(__hmul(A[row * n + k], B[k * n + col]));
  C[row * n + col] = sum;
}

__global__ void operators(const half *A, const half *B, float *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += __half2float(A[row * n + k] * B[k * n + col]);
  C[row * n + col] = sum;
}

// Factors cut off to integers.
__global__ void cut(const half *A, const half *B, float *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += (int)__half2float(A[row * n + k]) * __half2float(B[k * n + col]);
  C[row * n + col] = sum;
}

// Two different types.
__global__ void mixed(const half *A, const __nv_bfloat16 *B, float *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += (float)A[row * n + k] * (float)B[k * n + col];
  C[row * n + col] = sum;
}

// Products of double that are rounded to float.
__global__ void narrow(const double *A, const double *B, double *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    float product = A[row * n + k] * B[k * n + col];
    sum += product;
  }
  C[row * n + col] = sum;
}

// The square of one factor.
__global__ void square(const double *A, const double *B, double *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[row * n + k] * A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

// No product.
__global__ void distance(const double *A, const double *B, double *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += (A[row * n + k] - B[k * n + col]) * (A[row * n + k] - B[k * n + col]);
  C[row * n + col] = sum;
}

// Integers.
__global__ void integers(const int *A, const int *B, int *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  int sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

// The output may be an input.
__global__ void inPlace(const double *A, const double *B, double *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

// The elements' type is a template's parameter.
template <typename T> __global__ void generic(const T *A, const T *B, T *C, float alpha, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  T sum = 0;
  for (int k = 0; k < n; ++k)
    sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

int main() {
  int n = 100;
  half *a, *b;
  __nv_bfloat16 *x;
  double *d, *e, *f;
  float *c;
  int *i, *j, *k;
  cudaMalloc(&a, 100000);
  cudaMalloc(&b, 100000);
  cudaMalloc(&x, 100000);
  cudaMalloc(&c, 100000);
  cudaMalloc(&d, 100000);
  cudaMalloc(&e, 100000);
  cudaMalloc(&f, 100000);
  cudaMalloc(&i, 100000);
  cudaMalloc(&j, 100000);
  cudaMalloc(&k, 100000);
  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  fine<<<grid, block>>>(a, b, c, 2, n);
  doubleSum<<<grid, block>>>(a, b, c, 2, n);
  scaled<<<grid, block>>>(a, b, c, 2, n);
  rounded<<<grid, block>>>(a, b, c, 2, n);
  operators<<<grid, block>>>(a, b, c, 2, n);
  cut<<<grid, block>>>(a, b, c, 2, n);
  mixed<<<grid, block>>>(a, x, c, 2, n);
  narrow<<<grid, block>>>(d, e, f, 2, n);
  square<<<grid, block>>>(d, e, f, 2, n);
  distance<<<grid, block>>>(d, e, f, 2, n);
  integers<<<grid, block>>>(i, j, k, 2, n);
  inPlace<<<grid, block>>>(d, e, d, 2, n);
  generic<<<grid, block>>>(d, e, f, 2, n);
  return 0;
}
