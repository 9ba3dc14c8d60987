// The loop stands in a device function: its text takes the place of the call.
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=SITES
// SITES:     in similar: compute similar in tiles
// SITES:     because `dot` changes nothing but its own variables, and stands in place of its call
// SITES:     in product: compute product in tiles
// SITES-NOT: compute {{.*}} in tiles

__device__ float dot(const float *x, const float *y, int n) {
  float sum = 0;
  // Along both rows.
  for (int k = 0; k < n; ++k)
    sum += x[k] * y[k];
  return sum;
}

// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256, 2) similar
__global__ void similar(const float *A, const float *B, float *C, int n, int sum) {
  // The function's names give way to the kernel's.
  // CHECK:      const float *x2 = &A[row * n];
  // CHECK:      const float *y2 = &B[col * n];
  // CHECK:      sum2[{{.}}][{{.}}] += regA[
  // CHECK:      C[row * n + col] = sum2[{{.}}][{{.}}] / sum;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n)
    if (row < n) {
      C[row * n + col] = dot(&A[row * n], &B[col * n], n) / sum;
    }
}

__device__ inline double entry(const double *A, const double *B, int row, int col, int n) {
  double acc = 0.0;
  for (int k = 0; k < n; ++k)
    acc += A[row * n + k] * B[k * n + col];
  return 2.0 * acc;
}

// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256) product
__global__ void product(const double *A, const double *B, double *C, int n) {
  // CHECK: C[r * n + c] = (2.0 * acc[{{.}}][{{.}}]) + 1.0;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n || c >= n)
    return;
  C[r * n + c] = entry(A, B, r, c, n) + 1.0;
}

// It writes memory.
__device__ float counted(const float *x, const float *y, float *count, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += x[k] * y[k];
  *count = n;
  return sum;
}

__global__ void writes(const float *A, const float *B, float *C, float *count, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  C[row * n + col] = counted(&A[row * n], &B[col * n], count, n);
}

// It ends early.
__device__ float early(const float *x, const float *y, int n) {
  if (n > 100)
    return 1.0f;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += x[k] * y[k];
  return sum;
}

__global__ void ends(const float *A, const float *B, float *C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  C[row * n + col] = early(&A[row * n], &B[col * n], n);
}

// The result is another type's.
__device__ int whole(const float *x, const float *y, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += x[k] * y[k];
  return sum;
}

__global__ void rounds(const float *A, const float *B, float *C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  C[row * n + col] = whole(&A[row * n], &B[col * n], n);
}

// What the function calls `depth` is something else in the kernel.
__device__ const int depth = 16;

__device__ float deep(const float *x, const float *y) {
  float sum = 0;
  for (int k = 0; k < depth; ++k)
    sum += x[k] * y[k];
  return sum;
}

__global__ void captures(const float *A, const float *B, float *C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int depth = n;
  if (row >= n || col >= n)
    return;
  C[row * n + col] = deep(&A[row * depth], &B[col * depth]);
}

// A macro that names what would be renamed.
#define LENGTH(v) (n)

__device__ float measured(const float *x, const float *y, int n) {
  float sum = 0;
  for (int k = 0; k < LENGTH(x); ++k)
    sum += x[k] * y[k];
  return sum;
}

__global__ void macros(const float *A, const float *B, float *C, int m, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  C[row * n + col] = measured(&A[row * n], &B[col * n], m);
}

// It is not always called.
__global__ void sometimes(const float *A, const float *B, float *C, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n)
    return;
  C[row * n + col] = n > 7 ? dot(&A[row * n], &B[col * n], n) : 0.0f;
}

int main() {
  float *a, *b, *c, *count;
  double *x, *y, *z;
  int n = 100;
  cudaMalloc(&a, 40000);
  cudaMalloc(&b, 40000);
  cudaMalloc(&c, 40000);
  cudaMalloc(&count, 4);
  cudaMalloc(&x, 80000);
  cudaMalloc(&y, 80000);
  cudaMalloc(&z, 80000);
  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  similar<<<grid, block>>>(a, b, c, n, 2);
  product<<<grid, block>>>(x, y, z, n);
  writes<<<grid, block>>>(a, b, c, count, n);
  ends<<<grid, block>>>(a, b, c, n);
  rounds<<<grid, block>>>(a, b, c, n);
  captures<<<grid, block>>>(a, b, c, n);
  macros<<<grid, block>>>(a, b, c, n, n);
  sometimes<<<grid, block>>>(a, b, c, n);
  return 0;
}
