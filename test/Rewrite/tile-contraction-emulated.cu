// Original and result run in the emulator over sizes that do not divide the
// tiles, and agree to the bit: plain and transposed products, factors that are
// infinite or -0, sums that begin anywhere.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "1 1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "31 33 7" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "130 36 20" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "20 132 16" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "5 4 0" -o %t.5.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply=tile-contraction:plain{bm=64,bn=64,bk=8,tm=8,tn=8} --apply=tile-contraction:transposed{bm=32,bn=32,bk=32,tm=2,tn=2} --apply=tile-contraction:general{bm=64,bn=64,bk=16,tm=4,tn=4} --verify=emulator --emulate-args "67 70 33" -o %t.6.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: not cmp -s %s %t.6.cu
// RUN: FileCheck %s --check-prefix=TILED < %t.2.cu
// TILED-COUNT-6: constexpr int threads

#include "apply.h"

__global__ void plain(const float *A, const float *B, float *C, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    C[row * N + col] = 0.0f;
    for (int k = 0; k < K; ++k)
      C[row * N + col] += A[row * K + k] * B[k * N + col];
  }
}

__global__ void transposed(const float *A, const float *B, float *C, int M, int N, int K) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N)
    return;
  float sum = -0.0f;
  for (int k = 0; k < K; ++k)
    sum -= A[k * M + row] * B[col * K + k];
  C[row * N + col] = sum < 0.0f ? 0.0f : sum;
}

__global__ void general(const double *A, const double *B, double *C, double alpha, double beta, int M, int N, int K) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < M && j < N) {
    C[i * N + j] *= beta;
    for (int k = 0; k < K; ++k)
      C[i * N + j] += alpha * A[i * K + k] * B[k * N + j];
  }
}

template <typename T> __global__ void batched(const T *A, const T *B, T *C, int M, int N, int K) {
  const T *a = A + blockIdx.z * M * K;
  int row = blockIdx.y * 8 + threadIdx.y;
  int col = blockIdx.x * 8 + threadIdx.x;
  if (row < M && col < N) {
    T sum = C[(blockIdx.z * M + row) * N + col];
    for (int k = 0; k < K; ++k)
      sum = a[row * K + k] * B[k * N + col] + sum;
    C[(blockIdx.z * M + row) * N + col] = sum;
  }
}

__global__ void cutBlock(const float *A, const float *B, float *C, int M, int N, int K) {
  int row = blockIdx.x * 4 + threadIdx.x / 16;
  int col = blockIdx.y * 16 + threadIdx.x % 16;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
      sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = 2.0f * sum;
  }
}

__global__ void unguarded(const float *A, const float *B, float *C) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < 16; ++k)
    sum += A[row * 16 + k] * B[k * 140 + col];
  C[row * 140 + col] = sum;
}

constexpr int Most = 20000;

template <typename T> T *fresh(int seed) {
  static T host[Most];
  for (int i = 0; i < Most; ++i)
    host[i] = T((i * 37 + seed) % 101 - 50) / T(7);
  T *device;
  cudaMalloc(&device, sizeof(host));
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  return device;
}

/// Products that underflow to -0 and that are infinite.
void spoil(float *device, int n) {
  float host[4] = {-1e-40f, 3e38f, -3e38f, -0.0f};
  for (int i = 0; i + 4 <= n; i += 97)
    cudaMemcpy(device + i, host, sizeof(host), cudaMemcpyHostToDevice);
}

template <typename T> void print(const T *device, int n) {
  static T host[Most];
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  unsigned long long hash = 0;
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(host);
  for (size_t i = 0; i < sizeof(host); ++i)
    hash = hash * 31 + bytes[i];
  printf("%g %g %llu\n", (double)host[0], (double)host[n - 1], hash % 1000003);
}

int main(int argc, char **argv) {
  int m = number(argv[1]), n = number(argv[2]), k = number(argv[3]);
  float *a = fresh<float>(1), *b = fresh<float>(2), *c;
  double *x = fresh<double>(3), *y = fresh<double>(4), *z;
  int *p = fresh<int>(5), *q = fresh<int>(6), *r;
  cudaMalloc(&c, Most * sizeof(float));
  cudaMalloc(&z, Most * sizeof(double));
  cudaMalloc(&r, Most * sizeof(int));
  cudaMemset(c, 0, Most * sizeof(float));
  cudaMemcpy(z, x, Most * sizeof(double), cudaMemcpyDeviceToDevice);
  cudaMemcpy(r, p, Most * sizeof(int), cudaMemcpyDeviceToDevice);
  dim3 block(8, 4);
  plain<<<dim3((n + 7) / 8, (m + 3) / 4), block>>>(a, b, c, m, n, k);
  print(c, m * n);
  spoil(a, m * k);
  spoil(b, n * k);
  plain<<<dim3((n + 7) / 8, (m + 3) / 4), block>>>(a, b, c, m, n, k);
  print(c, m * n);
  transposed<<<dim3((m + 7) / 8, (n + 3) / 4), block>>>(a, b, c, m, n, k);
  print(c, m * n);
  general<<<dim3((n + 7) / 8, (m + 3) / 4), block>>>(x, y, z, -1.5, 0.5, m, n, k);
  print(z, m * n);
  batched<<<dim3((n + 7) / 8, (m + 7) / 8, 2), dim3(8, 8)>>>(p, q, r, m, n, k);
  print(r, 2 * m * n);
  batched<<<dim3((n + 7) / 8, (m + 7) / 8, 2), dim3(8, 8)>>>(a, b, c, m, n, k);
  print(c, 2 * m * n);
  cutBlock<<<dim3((m + 3) / 4, (n + 15) / 16), 64>>>(a, b, c, m, n, k);
  print(c, m * n);
  unguarded<<<dim3(140 / 4, 128 / 8), dim3(4, 8)>>>(a, b, c);
  print(c, 128 * 140);
  return 0;
}
