// RUN: cuda-l1-opt %s --rules='-*,tensor-core' --apply-all --fp-class=reduced-precision -- %fake_cuda -arch=sm_80 > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,tensor-core' --apply-all --fp-class=reduced-precision -- %fake_cuda -arch=sm_80 | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,tensor-core' --list-sites -- %fake_cuda -arch=sm_80 \
// RUN:   | FileCheck %s --check-prefix=SITES
// The tensor cores of 7.0 multiply halves, and nothing else.
// RUN: cuda-l1-opt %s --rules='-*,tensor-core' --list-sites -- %fake_cuda -arch=sm_75 \
// RUN:   | FileCheck %s --check-prefix=OLD
// One old target is enough to refuse.
// RUN: cuda-l1-opt %s --rules='-*,tensor-core' --list-sites -- %fake_cuda -gencode arch=compute_60,code=sm_60 -gencode arch=compute_90,code=sm_90 \
// RUN:   | FileCheck %s --check-prefix=NONE --allow-empty
// Single precision is rounded only where that is asked for.
// RUN: cuda-l1-opt %s --rules='-*,tensor-core' --apply-all --fp-class=reassociate -- %fake_cuda -arch=sm_80 \
// RUN:   | FileCheck %s --check-prefix=KEPT

// SITES:      tensor-core:halves {bk=32,bm=128,bn=128,wm=64,wn=32} {{.*}} [reassociate]
// SITES-NEXT: in halves: compute halves on tensor cores
// SITES-NEXT: because each thread sums up products of an element of its row and one of its column, and does nothing else
// SITES-NEXT: because products of 16-bit numbers are exact in float, in which they are summed up
// SITES-NEXT: because every target has compute capability 7.0 or more
// SITES:      tensor-core:doubles {bk=16,bm=64,bn=64,wm=32,wn=16} {{.*}} [reassociate]
// SITES:      because products of double are fused with their sums
// SITES-NEXT: because every target has compute capability 8.0 or more
// SITES:      tensor-core:floats {{.*}} [reduced-precision]
// SITES:      because factors are rounded to tf32, 10 bits behind the point

// OLD:     tensor-core:halves
// OLD-NOT: tensor-core:
// NONE-NOT: tensor-core:

// KEPT-COUNT-2: {{^}}  namespace wmma = nvcuda::wmma;
// KEPT-NOT:     {{^}}  namespace wmma = nvcuda::wmma;

// The include follows the file's own.
// CHECK:      {{^}}#include <cuda_fp16.h>
// CHECK-NEXT: {{^}}#include <mma.h>
#include <cuda_fp16.h>

// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256, 2) halves
__global__ void halves(const half *A, const half *B, const float *bias, half *C, int M, int N, int K) {
  // CHECK:      {{^}}  // A block computes BM x BN elements of C, a warp WM x WN of them on tensor cores.
  // CHECK-NEXT: namespace wmma = nvcuda::wmma;
  // CHECK-NEXT: constexpr int BM = 128, BN = 128, BK = 32, WM = 64, WN = 32;
  // CHECK-NEXT: constexpr int threads = (BM / WM) * (BN / WN) * 32;
  // CHECK-NEXT: __shared__ __align__(32) half tileA[2][BM][BK + 8];
  // CHECK-NEXT: __shared__ __align__(32) half tileB[2][BK][BN + 8];
  // CHECK-NEXT: __shared__ __align__(32) float part[threads / 32][16][16 + 4];
  // CHECK-NEXT: const int blockRow = blockIdx.y * BM;
  // CHECK-NEXT: const int blockCol = blockIdx.x * BN;
  // CHECK-NEXT: const int warp = threadIdx.x / 32;
  // CHECK-NEXT: const int warpRow = warp / (BN / WN) * WM;
  // CHECK-NEXT: const int warpCol = warp % (BN / WN) * WN;
  // CHECK-NEXT: const bool wideA = K % 8 == 0;
  // CHECK-NEXT: const bool wideB = N % 8 == 0;
  // CHECK:      if (wideA && row < M && k + 7 < K) {
  // CHECK-NEXT: nextA[i] = *reinterpret_cast<const uint4 *>(&A[row * K + k]);
  // CHECK:      v[j] = row < M && k < K ? A[row * K + k] : __float2half(0.0f);
  // CHECK-NEXT: memcpy(&nextA[i], v, sizeof(uint4));
  // CHECK:      *reinterpret_cast<uint4 *>(&tileB[stage][e / BN][e % BN]) = nextB[i];
  // CHECK:      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fragA[WM / 16];
  // CHECK:      wmma::load_matrix_sync(fragA[i], &tileA[stage][warpRow + i * 16][k], BK + 8);
  // CHECK:      wmma::load_matrix_sync(fragB[j], &tileB[stage][k][warpCol + j * 16], BN + 8);
  // CHECK:      wmma::mma_sync(fragC[i][j], fragA[i], fragB[j], fragC[i][j]);
  // CHECK:      wmma::store_matrix_sync(&part[warp][0][0], fragC[i][j], 16 + 4, wmma::mem_row_major);
  // CHECK:      const int row = blockRow + warpRow + i * 16 + e / 16;
  // CHECK-NEXT: const int col = blockCol + warpCol + j * 16 + e % 16;
  // CHECK-NEXT: if (row < M && col < N) {
  // CHECK-NEXT: float acc = bias[col];
  // CHECK-NEXT: acc += part[warp][e / 16][e % 16];
  // CHECK-NEXT: // Rectified.
  // CHECK-NEXT: C[row * N + col] = __float2half(acc > 0.0f ? acc : 0.0f);
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float acc = bias[col];
    for (int k = 0; k < K; ++k)
      acc += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
    // Rectified.
    C[row * N + col] = __float2half(acc > 0.0f ? acc : 0.0f);
  }
}

// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256) doubles
__global__ void doubles(const double *A, const double *B, double *C, const double *alpha, double beta, int n) {
  // CHECK:      __shared__ __align__(32) double tileA[2][BK][BM + 4];
  // CHECK:      __shared__ __align__(32) double tileB[2][BN][BK + 4];
  // CHECK:      const double alphaValue = 0 < n ? *alpha : double(0);
  // What fills up the last tile stays zero, also where alpha is infinite.
  // CHECK:      nextA[r].x = k < n ? nextA[r].x * alphaValue : 0.0;
  // CHECK:      wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::col_major> fragA[WM / 8];
  // CHECK:      wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fragB[WN / 8];
  // CHECK:      store(stage ^ 1, kStart + BK);
  // CHECK:      C[i * n + j] *= beta;
  // CHECK-NEXT: C[i * n + j] -= part[warp][e / 8][e % 8];
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    C[i * n + j] *= beta;
    for (int k = 0; k < n; ++k)
      C[i * n + j] -= *alpha * A[k * n + i] * B[j * n + k];
  }
}

// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256) floats
__global__ void floats(const float *A, const float *B, float *C, int n) {
  // CHECK: nextA[i].x = wmma::__float_to_tf32(nextA[i].x);
  // CHECK: wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fragA[WM / 16];
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k)
      sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
  }
}

int main(int argc, char **argv) {
  int m = argc, n = 100, k = 50;
  half *a, *b, *c;
  double *x, *y, *z, *alpha;
  float *p, *q, *r, *bias;
  cudaMalloc(&a, 100000);
  cudaMalloc(&b, 100000);
  cudaMalloc(&c, 100000);
  cudaMalloc(&x, 100000);
  cudaMalloc(&y, 100000);
  cudaMalloc(&z, 100000);
  cudaMalloc(&alpha, 8);
  cudaMalloc(&p, 100000);
  cudaMalloc(&q, 100000);
  cudaMalloc(&r, 100000);
  cudaMalloc(&bias, 100000);
  dim3 block(16, 16);
  // CHECK: halves<<<dim3((n + 127) / 128, (m + 127) / 128), 256>>>(a, b, bias, c, m, n, k);
  halves<<<dim3((n + 15) / 16, (m + 15) / 16), block>>>(a, b, bias, c, m, n, k);
  // CHECK: doubles<<<dim3((n + 63) / 64, (n + 63) / 64), 256>>>
  doubles<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(x, y, z, alpha, 0.5, n);
  floats<<<dim3((n + 15) / 16, (n + 15) / 16), block>>>(p, q, r, n);
  return 0;
}
