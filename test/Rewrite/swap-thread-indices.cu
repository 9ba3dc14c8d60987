// RUN: cuda-l1-opt %s --rules='-*,swap-thread-indices' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,swap-thread-indices' --apply-all -- %fake_cuda | diff %t.cu -
// With what only a run can confirm:
// RUN: cuda-l1-opt %s --rules='-*,swap-thread-indices' --list-sites --needs-check -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=SITES

// SITES:      swap-thread-indices:product [exact]
// SITES-NEXT: in product: exchange x and y of product and its launches
// SITES-NEXT: because 3 of 3 global accesses are contiguous along threadIdx.y, 1 along threadIdx.x
// SITES-NEXT: because nothing in the kernel depends on the order of threads or on warps
// SITES-NEXT: because its one launch is in this unit and can be changed
// SITES-NEXT: because no launch has more than 65535 blocks in x
// SITES:      swap-thread-indices:unknownGrid [exact, needs-check]
// SITES:      only if no launch has more than 65535 blocks in x

#include <stdio.h>

// Rows along x: every thread of a warp in a row of its own.
// CHECK-LABEL: {{^[^/]*}}void product
__global__ void product(const float *a, const float *b, float *c, int n) {
  // CHECK:      int row = blockIdx.y * blockDim.y + threadIdx.y;
  // CHECK-NEXT: int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

// Both built-in variables of the grid are exchanged, z is left alone.
// CHECK-LABEL: {{^[^/]*}}void strided
__global__ void strided(float *a, int rows, int cols) {
  // CHECK:      for (int r = blockIdx.y * blockDim.y + threadIdx.y; r < rows; r += gridDim.y * blockDim.y)
  // CHECK-NEXT: for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < cols; c += gridDim.x * blockDim.x)
  // CHECK-NEXT: a[(blockIdx.z * rows + r) * cols + c] *= 2.0f;
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x)
    for (int c = blockIdx.y * blockDim.y + threadIdx.y; c < cols; c += gridDim.y * blockDim.y)
      a[(blockIdx.z * rows + r) * cols + c] *= 2.0f;
}

// Contiguous already.
// CHECK-LABEL: {{^[^/]*}}void good
__global__ void good(float *a, int n) {
  // CHECK: a[(blockIdx.y * 8 + threadIdx.y) * n + threadIdx.x]
  a[(blockIdx.y * 8 + threadIdx.y) * n + threadIdx.x] = 1.0f;
}

// Everything below is strided along x, and has a reason to stay so.

// CHECK-LABEL: {{^[^/]*}}void shuffles
__global__ void shuffles(float *a, int n) {
  // CHECK: float v = a[threadIdx.x * n + threadIdx.y];
  float v = a[threadIdx.x * n + threadIdx.y];
  a[threadIdx.x * n + threadIdx.y] = __shfl_down_sync(0xffffffff, v, 1);
}

// CHECK-LABEL: {{^[^/]*}}void sums
__global__ void sums(const float *a, float *s, int n) {
  // CHECK: atomicAdd(s, a[threadIdx.x * n + threadIdx.y]);
  atomicAdd(s, a[threadIdx.x * n + threadIdx.y]);
}

// CHECK-LABEL: {{^[^/]*}}int column
__device__ int column() { return threadIdx.y; }
// CHECK-LABEL: {{^[^/]*}}void callee
__global__ void callee(float *a, int n) {
  // CHECK: a[threadIdx.x * n + column()] += a[threadIdx.x * n + threadIdx.y];
  a[threadIdx.x * n + column()] += a[threadIdx.x * n + threadIdx.y];
}

#define TX threadIdx.x
// CHECK-LABEL: {{^[^/]*}}void macro
__global__ void macro(float *a, int n) {
  // CHECK: a[TX * n + threadIdx.y] += 1.0f;
  a[TX * n + threadIdx.y] += 1.0f;
}

// CHECK-LABEL: {{^[^/]*}}void inactive
__global__ void inactive(float *a, int n) {
#ifdef TRANSPOSED
  a[threadIdx.y * n + threadIdx.x] += 2.0f;
#else
  // CHECK: a[threadIdx.x * n + threadIdx.y] += 1.0f;
  a[threadIdx.x * n + threadIdx.y] += 1.0f;
#endif
}

// CHECK-LABEL: {{^[^/]*}}void whole
__global__ void whole(float *a, int n) {
  // CHECK: uint3 t = threadIdx;
  uint3 t = threadIdx;
  a[threadIdx.x * n + threadIdx.y] += float(t.x);
}

// CHECK-LABEL: {{^[^/]*}}void line
__global__ void line(float *a, int n) {
  // CHECK: a[threadIdx.x * n + threadIdx.y] += 1.0f;
  a[threadIdx.x * n + threadIdx.y] += 1.0f;
}

// CHECK-LABEL: {{^[^/]*}}void unknownGrid
__global__ void unknownGrid(float *a, int n) {
  // CHECK: a[(blockIdx.x * 8 + threadIdx.x) * n + threadIdx.y] += 1.0f;
  a[(blockIdx.x * 8 + threadIdx.x) * n + threadIdx.y] += 1.0f;
}

// CHECK-LABEL: {{^[^/]*}}void inMacro
__global__ void inMacro(float *a, int n) {
  // CHECK: a[threadIdx.x * n + threadIdx.y] += 1.0f;
  a[threadIdx.x * n + threadIdx.y] += 1.0f;
}

// CHECK-LABEL: {{^[^/]*}}void addressTaken
__global__ void addressTaken(float *a, int n) {
  // CHECK: a[threadIdx.x * n + threadIdx.y] += 1.0f;
  a[threadIdx.x * n + threadIdx.y] += 1.0f;
}

// CHECK-LABEL: {{^[^/]*}}void computed
__global__ void computed(float *a, int n) {
  // CHECK: a[threadIdx.x * n + threadIdx.y] += 1.0f;
  a[threadIdx.x * n + threadIdx.y] += 1.0f;
}

// CHECK-LABEL: {{^[^/]*}}void prints
__global__ void prints(float *a, int n) {
  // CHECK: printf("%f", a[threadIdx.x * n + threadIdx.y]);
  printf("%f", a[threadIdx.x * n + threadIdx.y]);
}

// CHECK-LABEL: {{^[^/]*}}void notLaunched
__global__ void notLaunched(float *a, int n) {
  // CHECK: a[threadIdx.x * n + threadIdx.y] += 1.0f;
  a[threadIdx.x * n + threadIdx.y] += 1.0f;
}

dim3 shape(int n);
#define LAUNCH(k, a, n) k<<<dim3(4, 4), dim3(8, 8)>>>(a, n)

// CHECK-LABEL: {{^[^/]*}}int main
int main(int argc, char **argv) {
  float *a, *b, *c;
  int n = 100;
  cudaMalloc(&a, n);
  cudaMalloc(&b, n);
  cudaMalloc(&c, n);
  // A variable that serves these launches alone is built the other way round.
  // CHECK:      dim3 block(8, 32);
  // CHECK-NEXT: dim3 grid((n + 31) / 32, (n + 31) / 32);
  // CHECK-NEXT: product<<<grid, block>>>(a, b, c, n);
  dim3 block(32, 8);
  dim3 grid((n + 31) / 32, (n + 31) / 32);
  product<<<grid, block>>>(a, b, c, n);

  // One that serves more is left, the launch turns it.
  // CHECK:      dim3 threads(16, 4, 2);
  // CHECK-NEXT: strided<<<dim3(3, 7, 5), dim3(threads.y, threads.x, threads.z), 0, 0>>>(a, n, n);
  // CHECK-NEXT: good<<<dim3(7, 3), threads>>>(a, n);
  dim3 threads(16, 4, 2);
  strided<<<dim3(7, 3, 5), threads, 0, 0>>>(a, n, n);
  good<<<dim3(7, 3), threads>>>(a, n);

  shuffles<<<1, dim3(8, 8)>>>(a, n);
  sums<<<1, dim3(8, 8)>>>(a, b, n);
  callee<<<1, dim3(8, 8)>>>(a, n);
  macro<<<1, dim3(8, 8)>>>(a, n);
  inactive<<<1, dim3(8, 8)>>>(a, n);
  whole<<<1, dim3(8, 8)>>>(a, n);
  // One thread in y: nothing would be gained.
  // CHECK: line<<<1, 8>>>(a, n);
  line<<<1, 8>>>(a, n);
  unknownGrid<<<dim3(argc, 2), dim3(8, 8)>>>(a, n);
  LAUNCH(inMacro, a, n);
  void (*k)(float *, int) = addressTaken;
  k<<<1, dim3(8, 8)>>>(a, n);
  addressTaken<<<1, dim3(8, 8)>>>(a, n);
  computed<<<1, shape(n)>>>(a, n);
  prints<<<1, dim3(8, 8)>>>(a, n);
  return 0;
}
