// Original and result run in the emulator over sizes that do not divide the
// tiles, and agree: half, bfloat16, double, and float where it may be rounded
// to tf32; plain and transposed products; sums that begin anywhere.
// REQUIRES: emulator, nvcc
// RUN: cuda-l1-opt %s --rules='-*,tensor-core' --apply-all --fp-class=reduced-precision --verify=emulator --emulate-args "1 1 1" -o %t.1.cu -- -arch=sm_80 --cuda-path=%cuda_path 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tensor-core' --apply-all --fp-class=reduced-precision --verify=emulator --emulate-args "31 33 7" -o %t.2.cu -- -arch=sm_80 --cuda-path=%cuda_path 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tensor-core' --apply-all --fp-class=reduced-precision --verify=emulator --emulate-args "136 40 72" -o %t.3.cu -- -arch=sm_80 --cuda-path=%cuda_path 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tensor-core' --apply-all --fp-class=reduced-precision --verify=emulator --emulate-args "5 4 0" -o %t.4.cu -- -arch=sm_80 --cuda-path=%cuda_path 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tensor-core' --apply=tensor-core:plain{bm=32,bn=32,bk=32,wm=16,wn=16} --apply=tensor-core:brain{bm=64,bn=64,bk=32,wm=32,wn=32} --apply=tensor-core:general{bm=32,bn=32,bk=16,wm=16,wn=16} --fp-class=reduced-precision --verify=emulator --emulate-args "67 70 33" -o %t.5.cu -- -arch=sm_80 --cuda-path=%cuda_path 2>&1 | FileCheck %s
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=TILED < %t.2.cu
// TILED-COUNT-7: namespace wmma = nvcuda::wmma
// RUN: FileCheck %s --check-prefix=SOME < %t.5.cu
// SOME-COUNT-3: namespace wmma = nvcuda::wmma

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void plain(const __half *A, const __half *B, float *C, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
      sum += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
    C[row * N + col] = sum;
  }
}

// A by columns, an epilogue with a bias, the result in half.
__global__ void layer(const half *A, const half *B, const float *bias, half *C, int M, int N, int K) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N)
    return;
  float sum = bias[col];
  for (int k = 0; k < K; ++k) {
    float a = A[k * M + row];
    sum += a * (float)B[k * N + col];
  }
  sum = sum < 0.0f ? 0.0f : sum;
  C[row * N + col] = __float2half(sum);
}

__global__ void brain(const __nv_bfloat16 *A, const __nv_bfloat16 *B, float *C, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    C[row * N + col] = 0.0f;
    for (int k = 0; k < K; ++k)
      C[row * N + col] = fmaf(__bfloat162float(A[row * K + k]), __bfloat162float(B[col * K + k]), C[row * N + col]);
  }
}

__global__ void general(const double *A, const double *B, double *C, const double *alpha, double beta, int M, int N, int K) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < M && j < N) {
    C[i * N + j] *= beta;
    for (int k = 0; k < K; ++k)
      C[i * N + j] += *alpha * A[i * K + k] * B[k * N + j];
  }
}

// A and B by columns, twice the product taken away from what is there.
__global__ void update(const double *A, const double *B, double *C, int M, int N, int K) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < M && j < N)
    for (int k = 0; k < K; ++k)
      C[i * N + j] -= 2 * A[k * M + i] * B[j * K + k];
}

__global__ void single(const float *A, const float *B, float *C, float alpha, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
      sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = alpha * sum;
  }
}

// Nothing is contiguous in A.
__global__ void strided(const double *A, const double *B, double *C, int M, int N, int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    double sum = 0.0;
    for (int k = 0; k < K; ++k)
      sum += A[2 * (row * K + k)] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

template <typename T> T *filled(size_t n, unsigned seed) {
  std::vector<T> values(n);
  for (T &v : values)
    v = T(float(int((seed = seed * 1664525u + 1013904223u) >> 24) - 128) / 128.0f);
  T *device;
  cudaMalloc(&device, n * sizeof(T));
  cudaMemcpy(device, values.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

template <typename T> void print(const char *name, const T *device, size_t n) {
  std::vector<T> values(n);
  cudaMemcpy(values.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost);
  printf("%s", name);
  for (T v : values)
    printf(" %.9g", (double)(float)v);
  printf("\n");
}

int main(int argc, char **argv) {
  int m = atoi(argv[1]), n = atoi(argv[2]), k = atoi(argv[3]);
  dim3 block(16, 8), grid((n + 15) / 16, (m + 7) / 8), turned((m + 15) / 16, (n + 7) / 8);
  half *ha = filled<half>(m * k + 1, 1), *hb = filled<half>(k * n + 1, 2), *hc = filled<half>(m * n, 3);
  __nv_bfloat16 *ba = filled<__nv_bfloat16>(m * k + 1, 4), *bb = filled<__nv_bfloat16>(k * n + 1, 5);
  double *da = filled<double>(2 * m * k + 1, 6), *db = filled<double>(k * n + 1, 7), *dc = filled<double>(m * n, 8), *alpha = filled<double>(1, 9);
  float *fa = filled<float>(m * k + 1, 10), *fb = filled<float>(k * n + 1, 11), *fc = filled<float>(m * n, 12), *bias = filled<float>(n, 13);
  plain<<<grid, block>>>(ha, hb, fc, m, n, k);
  print("plain", fc, m * n);
  layer<<<turned, block>>>(ha, hb, bias, hc, m, n, k);
  print("layer", hc, m * n);
  brain<<<grid, block>>>(ba, bb, fc, m, n, k);
  print("brain", fc, m * n);
  general<<<grid, block>>>(da, db, dc, alpha, 0.5, m, n, k);
  print("general", dc, m * n);
  update<<<turned, block>>>(da, db, dc, m, n, k);
  print("update", dc, m * n);
  single<<<grid, block>>>(fa, fb, fc, 1.5f, m, n, k);
  print("single", fc, m * n);
  strided<<<grid, block>>>(da, db, dc, m, n, k);
  print("strided", dc, m * n);
  return cudaDeviceSynchronize();
}
