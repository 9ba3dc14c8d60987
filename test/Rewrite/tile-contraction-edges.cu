// Signs of zero, matrices without rows, and memory that is there inside the
// guards only.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "1 1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "5 0 3" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=TILED < %t.1.cu

#include "apply.h"

// Products of two instantiations: T(-0.0f) is 0 for integers.
// TILED-LABEL: void both(
// TILED: : T(-0.0f);
// TILED: : T(0);
template <typename T>
__global__ void both(const T *A, const T *B, T *C, T first, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    T sum = first;
    for (int k = 0; k < K; ++k)
      sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

// A number cut off to an integer loses the sign of its zero.
// TILED-LABEL: void cutOff(
// TILED: for (int k = 0; kStart + k < K; ++k)
__global__ void cutOff(const float *A, const float *B, float *C, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = -0.0f;
    for (int k = 0; k < K; ++k)
      sum += (int)A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

// TILED-LABEL: void biased(
// TILED:      if (row < M && col < N) {
// TILED-NEXT:   float first = Bias[row];
// TILED-NEXT:   sum[i][j] = first;
// TILED:      if (row < M && col < N) {
// TILED-NEXT:   float scale = Scale[col];
// TILED-NEXT:   C[row * N + col] = scale * sum[i][j];
__global__ void biased(const float *A, const float *B, float *C, const float *Bias, const float *Scale, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float first = Bias[row];
    float scale = Scale[col];
    float sum = first;
    for (int k = 0; k < K; ++k)
      sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = scale * sum;
  }
}

template <typename T> T *zeros(int elements) {
  T *device;
  cudaMalloc(&device, (elements + 1) * sizeof(T));
  cudaMemset(device, 0, (elements + 1) * sizeof(T));
  return device;
}

int main(int argc, char **argv) {
  int m = number(argv[1]), n = number(argv[2]), k = number(argv[3]);
  float *a = zeros<float>(m * k), *b = zeros<float>(n * k), *c = zeros<float>(m * n);
  int *p = zeros<int>(m * k), *q = zeros<int>(n * k), *r = zeros<int>(m * n);
  dim3 block(16, 16);
  // One block more than needed: there is one even for no columns.
  // TILED-LABEL: int main(
  // TILED: both<<<dim3(n / 128 + 1, (m + 127) / 128), 256>>>(p,
  both<<<dim3(n / 16 + 1, (m + 15) / 16), block>>>(p, q, r, 0, m, n, k);
  both<<<dim3(n / 16 + 1, (m + 15) / 16), block>>>(a, b, c, -0.0f, m, n, k);
  cutOff<<<dim3(n / 16 + 1, m / 16 + 1), block>>>(a, b, c, m, n, k);
  biased<<<dim3((n + 15) / 16 + 1, (m + 31) / 16), block>>>(a, b, c, a, b, m, n, k);
  printf("%d\n", int(cudaGetLastError()));
  float first;
  cudaMemcpy(&first, c, sizeof(first), cudaMemcpyDeviceToHost);
  printf("%g\n", double(first));
  return 0;
}
