// Elements that index macros make, `#if` branches that number the threads, and
// what all threads read alike in every turn.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all -- %runnable_cuda > %t.cu
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "1 1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "33 31 19" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply=tile-contraction:transposed{bm=32,bn=32,bk=32,tm=2,tn=2} --apply=tile-contraction:squares{bm=64,bn=64,bk=16,tm=4,tn=4} --verify=emulator --emulate-args "65 130 33" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "4 8 16" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "5 4 0" -o %t.5.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %emulate --checks=races %t.3.cu -- 33 35 7
// RIGHT: verified by emulation

#include "apply.h"

#define AT(m, r, c, cols) ((m)[(r) * (cols) + (c)])
#define OUT(r, c) AT(out, r, c, m)
#define SQUARE(x) ((x) * (x))
#define NEXT(p, r) ((p)[(r) + 0 * count++])
#define BOTH(k) (a[i * depth + (k)] * b[(k) * m + j])
#define SWAPPED 0

// CHECK-LABEL: transposed(
// CHECK-NOT:   #if
// CHECK:         &AT(a, d, i, n)
// CHECK:         i < n && d < depth ? AT(a, d, i, n) : -0.0f;
// CHECK:         sum[r][c] += regA[r] * regB[c];
// CHECK:         OUT(i, j) = sum[r][c];
__global__ void transposed(const float *a, const float *b, float *out, int n, int m, int depth) {
#if SWAPPED
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
#else
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
#endif
  if (i >= n || j >= m)
    return;
  OUT(i, j) = 0.0f;
  for (int d = 0; d < depth; ++d)
    OUT(i, j) += AT(a, d, i, n) * AT(b, d, j, m);
}

// An argument that is written once and used twice; nothing is read from scale
// where there is no turn.
// CHECK-LABEL: squares(
// CHECK:         const double scaleValue = 0 < depth ? *scale : double(0);
// CHECK:         sum[r][c] += scaleValue * SQUARE(regA[r] - regB[c]);
// CHECK:         if (dStart + BK <= depth) {
// CHECK-NEXT:    #pragma unroll
// CHECK-NEXT:      for (int d = 0; d < BK; ++d)
// CHECK-NEXT:        combine(d);
// CHECK-NEXT:    } else {
// CHECK-NEXT:      for (int d = 0; dStart + d < depth; ++d)
// CHECK-NEXT:        combine(d);
__global__ void squares(const double *scale, const double *a, const double *b, double *out, int n, int m, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= m)
    return;
  double sum = 0;
  for (int d = 0; d < depth; ++d)
    sum += *scale * SQUARE(AT(a, i, d, depth) - AT(b, j, d, depth));
  OUT(i, j) = sum;
}

// The macro counts.
// CHECK-LABEL: counts(
// CHECK-NEXT:    int j = blockIdx.x
__global__ void counts(const float *a, const float *b, float *out, int n, int m, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= m)
    return;
  int count = 0;
  float sum = 0;
  for (int d = 0; d < depth; ++d)
    sum += NEXT(a, i * depth + d) * b[d * m + j];
  OUT(i, j) = sum + count;
}

// One macro makes both elements.
// CHECK-LABEL: pairs(
// CHECK-NEXT:    int j = blockIdx.x
__global__ void pairs(const float *a, const float *b, float *out, int n, int m, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= m)
    return;
  float sum = 0;
  for (int d = 0; d < depth; ++d)
    sum += BOTH(d);
  OUT(i, j) = sum;
}

// Another configuration computes something else.
// CHECK-LABEL: other(
// CHECK-NEXT:    int j = blockIdx.x
__global__ void other(const float *a, const float *b, float *out, int n, int m, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
#if SWAPPED
  int i = blockIdx.y * blockDim.y + threadIdx.y + 1, more = 2;
#else
  int i = blockIdx.y * blockDim.y + threadIdx.y;
#endif
  if (i >= n || j >= m)
    return;
  float sum = 0;
  for (int d = 0; d < depth; ++d)
    sum += AT(a, i, d, depth) * AT(b, d, j, m);
  OUT(i, j) = sum;
}

// The guard is in a branch.
// CHECK-LABEL: guarded(
// CHECK-NEXT:    int j = blockIdx.x
__global__ void guarded(const float *a, const float *b, float *out, int n, int m, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
#if !SWAPPED
  if (i >= n || j >= m)
    return;
#endif
  float sum = 0;
  for (int d = 0; d < depth; ++d)
    sum += AT(a, i, d, depth) * AT(b, d, j, m);
  OUT(i, j) = sum;
}

template <typename T> T *fresh(int count, int seed) {
  T *host = new T[count + 1], *device;
  for (int i = 0; i <= count; ++i)
    host[i] = T((i * 37 + seed) % 11 - 5) / 4;
  cudaMalloc(&device, (count + 1) * sizeof(T));
  cudaMemcpy(device, host, (count + 1) * sizeof(T), cudaMemcpyHostToDevice);
  delete[] host;
  return device;
}

template <typename T> void print(const T *device, int count) {
  T *host = new T[count];
  cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += (1 + i % 13) * (double)host[i];
  printf("%g %g %g\n", sum, (double)host[0], (double)host[count - 1]);
  delete[] host;
}

int main(int argc, char **argv) {
  int n = number(argv[1]), m = number(argv[2]), depth = number(argv[3]);
  float *a = fresh<float>(n * depth, 1), *b = fresh<float>(m * depth, 2), *out = fresh<float>(n * m, 3);
  double *s = fresh<double>(1, 7), *u = fresh<double>(n * depth, 8), *v = fresh<double>(m * depth, 9), *w = fresh<double>(n * m, 10);
  dim3 block(16, 16), grid((m + 15) / 16, (n + 15) / 16);
  transposed<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, out, n, m, depth);
  print(out, n * m);
  squares<<<dim3((m + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(s, u, v, w, n, m, depth);
  print(w, n * m);
  if (depth > 1000) {
    counts<<<grid, block>>>(a, b, out, n, m, depth);
    pairs<<<grid, block>>>(a, b, out, n, m, depth);
    other<<<grid, block>>>(a, b, out, n, m, depth);
    guarded<<<grid, block>>>(a, b, out, n, m, depth);
  }
}
