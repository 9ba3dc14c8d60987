// RUN: cuda-l1-opt %s --rules='-*,fuse-kernels' --apply-all -- %fake_cuda > %t.cu
// RUN: grep -v "// CHECK" %t.cu | FileCheck %s
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,fuse-kernels' --apply-all -- %fake_cuda | diff %t.cu -

#include <libc.h>
#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess)                                                    \
      exit(1);                                                                 \
  } while (0)

// A chain: one kernel in place of three, the comments of all above it.
// First difference.
__global__ void subtract(float *a, float *b, float *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] = a[i] - b[i];
}

// Then half of it.
__global__ void halve(const float *in, float *s, int count) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) {
    float half = in[at] / 2; // exact
    s[at] = half + 0.0f;
  }
}

__global__ void add(float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] += x[i];
}

// Rows and columns.
__global__ void products(float *m, float *v, float *out, int height, int width,
                         int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= height || x >= width)
    return;
  float sum = 0;
  for (int k = 0; k < depth; k++)
    sum += m[y * depth + k] * v[k * width + x];
  out[y * width + x] = sum;
}

__global__ void addBias(float *c, float *bias, int rows, int columns) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < columns) {
    float sum = c[row * columns + col] + bias[col];
    c[row * columns + col] = sum;
  }
}

// Bounds that differ stay apart.
__global__ void increase(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 1;
}
__global__ void decrease(float *a, float *b, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m)
    b[i] = a[i] - 1;
}

// A kernel that is launched elsewhere too stays.
__global__ void twice(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = a[i] + a[i];
}

int main() {
  int n = 1000, m = 500, width = 30, height = 20, depth = 10;
  float *dA, *dB, *dR, *dS, *dY;
  CUDA_CHECK(cudaMalloc((void **)&dA, 4000));
  CUDA_CHECK(cudaMalloc((void **)&dB, 4000));
  CUDA_CHECK(cudaMalloc((void **)&dR, 4000));
  CUDA_CHECK(cudaMalloc((void **)&dS, 4000));
  CUDA_CHECK(cudaMalloc((void **)&dY, 4000));
  dim3 block(128);
  dim3 grid((n + 127) / 128);
  subtract<<<grid, block>>>(dA, dB, dR, n);
  CUDA_CHECK(cudaGetLastError());
  halve<<<grid, block>>>(dR, dS, n);
  CUDA_CHECK(cudaGetLastError());
  add<<<grid, block>>>(dS, dY, n);
  CUDA_CHECK(cudaGetLastError());
  products<<<dim3(1, 2), dim3(32, 16)>>>(dA, dB, dY, height, width, depth);
  addBias<<<dim3(1, 2), dim3(32, 16)>>>(dY, dR, height, width);
  increase<<<8, 128>>>(dA, n);
  decrease<<<8, 128>>>(dA, dB, m);
  CUDA_CHECK(cudaDeviceSynchronize());
  twice<<<8, 128>>>(dA, n);
  twice<<<8, 128>>>(dA, n);
  CUDA_CHECK(cudaDeviceSynchronize());
  twice<<<8, 128>>>(dB, n);
  return 0;
}

// CHECK: // First difference.
// CHECK-NEXT: // Then half of it.
// CHECK-NEXT: __global__ void subtractHalveAdd(float *a, float *b, float *r, int n, float *s,
// CHECK-NEXT: float *y) {
// CHECK-NEXT:   int i = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT:   if (i < n) {
// CHECK-NEXT:     r[i] = a[i] - b[i];
// CHECK-NEXT:     float half = r[i] / 2; // exact
// CHECK-NEXT:     s[i] = half + 0.0f;
// CHECK-NEXT:     y[i] += s[i];
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-EMPTY:
// CHECK-NEXT: // Rows and columns.
// CHECK: __global__ void productsAddBias(float *m, float *v, float *out, int height,
// CHECK: if (y >= height || x >= width)
// CHECK-NEXT: return;
// CHECK-NEXT: float sum = 0;
// CHECK: out[y * width + x] = sum;
// CHECK-NEXT: float sum2 = out[y * width + x] + bias[x];
// CHECK-NEXT: out[y * width + x] = sum2;
// CHECK-NEXT: }
// CHECK: __global__ void increaseDecrease(float *a, int n, float *b, int m) {
// CHECK-NEXT:   int i = blockIdx.x * blockDim.x + threadIdx.x;
// CHECK-NEXT:   if (i < n) {
// CHECK-NEXT:     a[i] += 1;
// CHECK-NEXT:   }
// CHECK-NEXT:   if (i < m) {
// CHECK-NEXT:     b[i] = a[i] - 1;
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK: __global__ void twice(
// CHECK: __global__ void twiceTwice(float *a, int n)
// CHECK: subtractHalveAdd<<<grid, block>>>(dA, dB, dR, n, dS, dY);
// CHECK-NEXT: CUDA_CHECK(cudaGetLastError());
// CHECK-NEXT: productsAddBias<<<dim3(1, 2), dim3(32, 16)>>>(dA, dB, dY, height, width,
// CHECK-NEXT: depth, dR);
// CHECK-NEXT: increaseDecrease<<<8, 128>>>(dA, n, dB, m);
// CHECK-NEXT: CUDA_CHECK(cudaDeviceSynchronize());
// CHECK-NEXT: twiceTwice<<<8, 128>>>(dA, n);
// CHECK-NEXT: CUDA_CHECK(cudaDeviceSynchronize());
// CHECK-NEXT: twice<<<8, 128>>>(dB, n);
// CHECK-NEXT: return 0;
