// Fragments of <mma.h>: loads and stores in both orders, products of half,
// bfloat16, tf32 (rounded to nearest, ties away) and double.
// RUN: cuda-l1-emu %s --flags "-arch=sm_80 --cuda-path=%cuda_path" | FileCheck %s
// REQUIRES: emulator, nvcc

#include <cuda_runtime.h>
#include <mma.h>
#include <cmath>
#include <cstdio>

using namespace nvcuda;

template <typename T> __device__ T number(int i) { return T(float(i % 13 - 6)); }

// D = A * B + 1, with B by columns; D is stored by rows or by columns.
template <typename Element, typename T, typename Sum, int M, int N, int K>
__global__ void product(Sum *D, bool byRows) {
  __shared__ __align__(32) T a[M * (K + 8)];
  __shared__ __align__(32) T b[N * (K + 8)];
  __shared__ __align__(32) Sum d[M * N];
  for (int i = threadIdx.x; i < M * K; i += 32)
    a[i / K * (K + 8) + i % K] = number<T>(i);
  for (int i = threadIdx.x; i < N * K; i += 32)
    b[i / K * (K + 8) + i % K] = number<T>(7 * i);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, K, Element, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, M, N, K, Element, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
  wmma::fill_fragment(sum, Sum(1));
  wmma::load_matrix_sync(left, a, K + 8);
  wmma::load_matrix_sync(right, b, K + 8);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(d, sum, byRows ? N : M, byRows ? wmma::mem_row_major : wmma::mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < M * N; i += 32)
    D[i] = byRows ? d[i] : d[i % N * M + i / N];
}

__global__ void rounded(float *x) { x[threadIdx.x] = wmma::__float_to_tf32(x[threadIdx.x]); }

template <typename Element, typename T, typename Sum, int M, int N, int K> void check(const char *name) {
  Sum *d;
  cudaMallocManaged(&d, M * N * sizeof(Sum));
  for (bool byRows : {true, false}) {
    product<Element, T, Sum, M, N, K><<<1, 32>>>(d, byRows);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        int want = 1;
        for (int k = 0; k < K; ++k)
          want += ((i * K + k) % 13 - 6) * ((7 * (j * K + k)) % 13 - 6);
        wrong += float(d[i * N + j]) != float(want);
      }
    printf("%s %d wrong\n", name, wrong);
  }
  cudaFree(d);
}

int main() {
  // CHECK: half 0 wrong
  // CHECK-NEXT: half 0 wrong
  check<__half, __half, float, 16, 16, 16>("half");
  // CHECK-NEXT: tall 0 wrong
  // CHECK-NEXT: tall 0 wrong
  check<__half, __half, float, 32, 8, 16>("tall");
  // CHECK-NEXT: wide 0 wrong
  // CHECK-NEXT: wide 0 wrong
  check<__half, __half, __half, 8, 32, 16>("wide");
  // CHECK-NEXT: bfloat16 0 wrong
  // CHECK-NEXT: bfloat16 0 wrong
  check<__nv_bfloat16, __nv_bfloat16, float, 16, 16, 16>("bfloat16");
  // CHECK-NEXT: flat bfloat16 0 wrong
  // CHECK-NEXT: flat bfloat16 0 wrong
  check<__nv_bfloat16, __nv_bfloat16, float, 8, 32, 16>("flat bfloat16");
  // CHECK-NEXT: tf32 0 wrong
  // CHECK-NEXT: tf32 0 wrong
  check<wmma::precision::tf32, float, float, 16, 16, 8>("tf32");
  // CHECK-NEXT: double 0 wrong
  // CHECK-NEXT: double 0 wrong
  check<double, double, double, 8, 8, 4>("double");

  float *x;
  cudaMallocManaged(&x, 8 * sizeof(float));
  const float values[8] = {1.0f + 0x1p-11f, -1.0f - 0x1p-11f, 1.0f + 0x1p-12f, 0x1.fffffep127f, INFINITY, -0.0f, 0x1p-149f, NAN};
  for (int i = 0; i < 8; ++i)
    x[i] = values[i];
  rounded<<<1, 8>>>(x);
  cudaDeviceSynchronize();
  // CHECK-NEXT: 0x1.004p+0 -0x1.004p+0 0x1p+0 inf inf -0x0p+0 0x0p+0 nan
  for (int i = 0; i < 8; ++i)
    printf("%a%c", x[i], i < 7 ? ' ' : '\n');
}
