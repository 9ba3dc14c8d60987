// RUN: cuda-l1-opt %s --rules='-*,raise-to-library' --fp-class=reassociate --apply-all -- %fake_cuda > %t.cu 2> %t.notes
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: FileCheck %s --check-prefix=NOTES < %t.notes
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,raise-to-library' --fp-class=reassociate --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,raise-to-library' --fp-class=reassociate --list-sites -- %fake_cuda | FileCheck %s --check-prefix=SITES
// It is off unless it is named, by a step too.
// RUN: cuda-l1-opt %s --fp-class=reassociate --list-sites -- %fake_cuda | FileCheck %s --check-prefix=OFF
// RUN: cuda-l1-opt %s --rules='*,-raise-*' --fp-class=reassociate --list-sites -- %fake_cuda | FileCheck %s --check-prefix=OFF
// RUN: cuda-l1-opt %s --fp-class=reassociate --apply=raise-to-library:gemm_kernel -- %fake_cuda | FileCheck %s --check-prefix=STEP
// OFF-NOT: : raise-to-library
// STEP: gemm_cublas(m, n, k, a, k, b, k, c, n);
// Not without the library's header, nor where results must stay to the bit.
// RUN: cuda-l1-opt %s --rules='-*,raise-to-library' --fp-class=exact --list-sites -- %fake_cuda | count 0
// RUN: mkdir -p %t.include && cp %S/../Inputs/fake-cuda/cuda.h %t.include
// RUN: cuda-l1-opt %s --rules='-*,raise-to-library' --fp-class=reassociate --list-sites -- -nocudainc -nocudalib -isystem %t.include -include cuda.h | count 0

// NOTES: note: the result has to be linked with -lcublas

// SITES:      raise-to-library:gemm_kernel [reassociate]
// SITES-NEXT: on the host: compute gemm_kernel by cublasSgemm
// SITES:      because rows of each matrix lie apart by no less than their length
// SITES:      because one thread of the host works with one device, so all calls may share a handle
// SITES-NEXT: links -lcublas

// CHECK:      #include <stdlib.h>
// CHECK-NEXT: #include <cublas_v2.h>
#include <stdio.h>
#include <stdlib.h>

// CHECK:      // Ends the program when a call of cuBLAS has failed.
// CHECK-NEXT: static void checkCublas(cublasStatus_t status) {
// CHECK-NEXT:   if (status == CUBLAS_STATUS_SUCCESS)
// CHECK-NEXT:     return;
// CHECK-NEXT:   fprintf(stderr, "cuBLAS: %s\n", cublasGetStatusString(status));
// CHECK-NEXT:   exit(EXIT_FAILURE);
// CHECK-NEXT: }
// CHECK:      static cublasHandle_t cublasHandle() {
// CHECK-NEXT:   static cublasHandle_t handle = nullptr;
// CHECK-NEXT:   if (!handle)
// CHECK-NEXT:     checkCublas(cublasCreate(&handle));
// CHECK-NEXT:   return handle;
// CHECK-NEXT: }

// The comment of the first function stays with it.
// CHECK:      static int half(int n) { return n / 2; }
static int half(int n) { return n / 2; }

// Distances between rows that are sizes at the launch.
// CHECK:      static void gemm_cublas(int M, int N, int K, const float *A, int lda, const float *B, int ldb,
// CHECK-NEXT:                         float *C, int ldc) {
// CHECK-NEXT:   if (M <= 0 || N <= 0)
// CHECK-NEXT:     return;
// CHECK-NEXT:   const float alpha = 1.0f, beta = 0.0f;
// CHECK-NEXT:   checkCublas(cublasSetStream(cublasHandle(), nullptr));
// CHECK-NEXT:   // In the order of cuBLAS, by columns, these are the transposed matrices.
// CHECK-NEXT:   checkCublas(cublasSgemm(cublasHandle(), CUBLAS_OP_T, CUBLAS_OP_N,
// CHECK-NEXT:                           N, M, K > 0 ? K : 0,
// CHECK-NEXT:                           &alpha, B, ldb > 1 ? ldb : 1, A, lda > 1 ? lda : 1,
// CHECK-NEXT:                           &beta, C, ldc));
// CHECK-NEXT: }
__global__ void gemm_kernel(int M, int N, int K, const float *A, int lda, const float *B, int ldb,
                            float *C, int ldc) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k)
      sum += A[row * lda + k] * B[col * ldb + k];
    C[row * ldc + col] = sum;
  }
}

// A size of the launch itself, a scale that is never 0, and a stream.
// CHECK:      static void scaledCublas(cudaStream_t stream, double *A, double *B, double *C, double s) {
// CHECK-NEXT:   const double alpha = -0.25 * s, beta = 1.0;
// CHECK-NEXT:   checkCublas(cublasSetStream(cublasHandle(), stream));
// CHECK:        checkCublas(cublasDgemm(cublasHandle(), CUBLAS_OP_N, CUBLAS_OP_T,
// CHECK-NEXT:                           64, 64, 64,
// CHECK-NEXT:                           &alpha, B, 64, A, 64,
// CHECK-NEXT:                           &beta, C, 64));
__global__ void scaled(double *A, double *B, double *C, double s) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  for (int k = 0; k < 64; ++k)
    C[y * 64 + x] -= 0.25 * s * A[k * 64 + y] * B[k * 64 + x];
}

// Something else names it, so it stays.
// CHECK:      __global__ void kept(
// CHECK:      static void keptCublas(
__global__ void kept(const float *A, const float *B, float *C, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) {
    float sum = C[y * n + x];
    for (int k = 0; k < n; ++k)
      sum = fmaf(A[y * n + k], B[k * n + x], sum);
    C[y * n + x] = sum;
  }
}
#define KERNEL kept

// CHECK-LABEL: int main
int main() {
  int m = 40, n = 50, k = 60;
  // CHECK: float *a, *b, *c;
  float *a, *b, *c;
  // CHECK-NEXT: cublasHandle(); // Made before the work begins.
  // CHECK-NEXT: cudaMalloc(&a
  cudaMalloc(&a, 4 * m * k);
  cudaMalloc(&b, 4 * k * n);
  cudaMalloc(&c, 4 * m * n);
  double *x, *y, *z;
  cudaMalloc(&x, 8 * 4096);
  cudaMalloc(&y, 8 * 4096);
  cudaMalloc(&z, 8 * 4096);
  // CHECK-NOT: dim3 block
  // CHECK: gemm_cublas(m, n, k, a, k, b, k, c, n);
  dim3 block(16, 16);
  dim3 grid((n + 15) / 16, (m + 15) / 16);
  gemm_kernel<<<grid, block>>>(m, n, k, a, k, b, k, c, n);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  // CHECK: scaledCublas(stream, x, y, z, 2.0);
  scaled<<<dim3(4, 4), block, 0, stream>>>(x, y, z, 2.0);
  // CHECK: keptCublas(a, b, c, size);
  int size = half(n);
  kept<<<dim3((size + 15) / 16, (size + 15) / 16), block>>>(a, b, c, size);
  return 0;
}
