// Indices are affine forms over thread, block and loop indices and sizes, seen
// through the variables that the author gave them.
// RUN: cuda-l1-opt --dump-kernels %s -- %fake_cuda | FileCheck %s

// CHECK-LABEL: kernel row_sum
// CHECK: parameter a: const float *, read
// CHECK: parameter out: float *, read-write
// CHECK: loop line [[#@LINE+4]] depth 1: k from 0 to n step 1
__global__ void row_sum(const float *a, float *out, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  const float *line = a + row * n;
  for (int k = 0; k < n; ++k)
    out[row] += line[k];
}
// CHECK: read line [[#@LINE-2]]: global a[blockIdx.x*blockDim.x*n + threadIdx.x*n + k] float, strided by n
// CHECK: read-write line [[#@LINE-3]]: global out[blockIdx.x*blockDim.x + threadIdx.x] float, coalesced

// CHECK-LABEL: kernel classes
__global__ void classes(float *a, const int *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: write line [[#@LINE+1]]: global a[blockIdx.x*blockDim.x + threadIdx.x] float, coalesced
  a[i] = 0;
  // CHECK: write line [[#@LINE+1]]: global a[3*blockIdx.x*blockDim.x + 3*threadIdx.x + 1] float, strided by 3
  a[3 * i + 1] = 0;
  // CHECK: write line [[#@LINE+1]]: global a[blockIdx.x] float, broadcast
  a[blockIdx.x] = 0;
  // CHECK: read line [[#@LINE+2]]: global index
  // CHECK: write line [[#@LINE+1]]: global a[index[i]] float, gather, not affine: `index[i]` is read from memory
  a[index[i]] = 0;
  // CHECK: write line [[#@LINE+1]]: global a[(i % n)] float, unknown, not affine: `(i % n)` is not affine
  a[i % n] = 0;
  // CHECK: write line [[#@LINE+1]]: global a[blockDim.x - threadIdx.x - 1] float, coalesced
  a[blockDim.x - 1 - threadIdx.x] = 0;
  int j = i;
  j += n;
  // CHECK: write line [[#@LINE+1]]: global a[j] float, unknown, not affine: `j` is assigned in the kernel
  a[j] = 0;
  // A shift is a product; sizes of elements follow the type that is accessed.
  // CHECK: write line [[#@LINE+1]]: global a[blockIdx.x*blockDim.x + threadIdx.x] float4, coalesced
  reinterpret_cast<float4 *>(a)[(i << 2) / 4 - (i << 2) / 4 + i] = float4();
}

// CHECK-LABEL: kernel grid_stride
// CHECK: loop line [[#@LINE+2]] depth 1: i from blockIdx.x*blockDim.x + threadIdx.x to n step blockDim.x*gridDim.x
__global__ void grid_stride(float *a, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    a[i] = 1; // CHECK: write line [[#@LINE]]: global a[i] float, coalesced
}

// CHECK-LABEL: kernel loops
__global__ void loops(float *a, int n) {
  // CHECK: loop line [[#@LINE+1]] depth 1: i from n - 1 down to -1 step -1
  for (int i = n - 1; i >= 0; --i)
    a[i] = 0;
  // CHECK: loop line [[#@LINE+1]] depth 1: i from 0 to 16 step 4, 4 iterations
  for (int i = 0; i <= 15; i = i + 4)
    a[i] = 0;
  // The author changes the variable: not counted.
  // CHECK: loop line [[#@LINE+1]] depth 1: not counted
  for (int i = 0; i < n; ++i)
    if (a[i] > 0)
      ++i;
  // The loop changes its own bound.
  // CHECK: loop line [[#@LINE+1]] depth 1: not counted, i from 0 step 1
  for (int i = 0; i < n; ++i)
    n -= 2;
  // CHECK: loop line [[#@LINE+1]] depth 1: not counted, early-exit
  while (true)
    if (a[0] > 0)
      break;
}

// Two accesses that a narrowing conversion may tell apart are not one form.
// CHECK-LABEL: kernel narrowing
__global__ void narrowing(float *a, long long n) {
  // CHECK: write line [[#@LINE+1]]: global a[((unsigned char)n)]
  a[(unsigned char)n] = 0;
  // CHECK: write line [[#@LINE+1]]: global a[n]
  a[n] = 0;
}
