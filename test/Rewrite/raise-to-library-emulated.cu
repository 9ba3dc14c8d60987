// Original and result run in the emulator over sizes that do not divide a block,
// with matrices that are transposed, scaled, padded, empty, and in streams.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,raise-to-library' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "1 1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,raise-to-library' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "31 33 17" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,raise-to-library' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "33 1 31" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,raise-to-library' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "1 64 33" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,raise-to-library' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "40 40 0" -o %t.5.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// Nothing is launched any more.
// RUN: not grep '<<<[dg]' %t.2.cu

#include <cstdio>
#include <cstdlib>
#include "apply.h"

__global__ void plain(const float *A, const float *B, float *C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N)
    return;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += A[row * K + k] * B[k * N + col];
  C[row * N + col] = sum;
}

__global__ void bothTransposed(const float *A, const float *B, float *C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N)
    return;
  float sum = 0;
  for (int k = 0; k < K; ++k)
    sum += A[k * M + row] * B[col * K + k];
  C[row * N + col] += 2.5f * sum;
}

// All three by columns, and the axes exchanged.
__global__ void byColumns(const float *A, const float *B, float *C, int M, int N, int K, float alpha) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
      sum += alpha * A[row + k * M] * B[k + col * K];
    C[row + col * M] = 0.5f * C[row + col * M] - sum;
  }
}

__global__ void inMemory(const double *A, const double *B, double *C, int M, int N, int K) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= N)
    return;
  C[row * N + col] *= 3;
  for (int k = 0; k < K; ++k)
    C[row * N + col] += A[row * K + k] * B[k * N + col];
}

constexpr int Most = 64 * 64;

template <typename T> T *filled(int seed) {
  static T host[Most];
  for (int i = 0; i < Most; ++i)
    host[i] = T((i * 37 + seed * 11) % 101 - 50) / 8;
  T *device;
  cudaMalloc((void **)&device, sizeof(host));
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  return device;
}

template <typename T> void print(const T *device, int n) {
  static T host[Most];
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0, weighted = 0;
  for (int i = 0; i < Most; ++i) {
    sum += (double)host[i];
    weighted += (double)host[i] * (i + 1);
  }
  printf("%.9g %.9g\n", sum, weighted);
}

void launchInside(const float *A, const float *B, float *C, int M, int N, int K, cudaStream_t stream) {
  for (int run = 0; run < 2; ++run)
    bothTransposed<<<dim3((N + 7) / 8, (M + 7) / 8), dim3(8, 8), 0, stream>>>(A, B, C, M, N, K);
}

int main(int argc, char **argv) {
  int m = number(argv[1]), n = number(argv[2]), k = number(argv[3]);
  float *A = filled<float>(1), *B = filled<float>(2), *C = filled<float>(3), *D = filled<float>(4);
  double *X = filled<double>(5), *Y = filled<double>(6), *Z = filled<double>(7);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  dim3 block(16, 16);
  dim3 grid((n + 15) / 16, (m + 15) / 16);
  plain<<<grid, block>>>(A, B, C, m, n, k);
  print(C, m * n);
  launchInside(A, B, C, m, n, k, stream);
  cudaStreamSynchronize(stream);
  bothTransposed<<<grid, block>>>(A, B, C, m, n, k);
  print(C, m * n);
  byColumns<<<dim3((m + 15) / 16, (n + 15) / 16), block>>>(A, B, D, m, n, k, 1.5f);
  print(D, m * n);
  inMemory<<<grid, block>>>(X, Y, Z, m, n, k);
  print(Z, m * n);
  cudaStreamDestroy(stream);
  return 0;
}
