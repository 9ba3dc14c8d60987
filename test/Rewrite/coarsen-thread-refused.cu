// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply-all --needs-check -- %fake_cuda | diff %s -

#include <stdio.h>

#define NUMBER blockIdx.x * blockDim.x + threadIdx.x

// No bound: surplus threads would make more elements.
__global__ void unbounded(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i];
}

// A barrier.
__global__ void waits(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    b[i] = a[i];
}

// Shared memory.
__global__ void shares(const float *a, float *b, int n) {
  __shared__ float first;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    first = a[0];
  if (i < n)
    b[i] = a[i];
}

// A warp operation.
__global__ void votes(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = __shfl_down_sync(0xffffffff, a[i], 1);
}

// An atomic.
__global__ void counts(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(b, a[i]);
}

// The number of a block, by itself.
__global__ void blocks(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = a[i] + blockIdx.x;
}

// The number of a thread in its block, by itself.
__global__ void threads(const float *a, float *b, int n) {
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  if (i < n)
    b[i] = a[i] + t;
}

// The number of blocks.
__global__ void grids(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = a[i] / gridDim.x;
}

// A grid-stride loop of its own.
__global__ void strides(const float *a, float *b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    b[i] = a[i];
}

// A loop in each thread.
__global__ void loops(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < 4; ++k)
      b[4 * i + k] = a[i];
}

// Memory is read before the number is bounded.
__global__ void early(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i];
  if (i < n)
    b[i] = v;
}

// Memory is read before the last bound.
__global__ void between(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 * n)
    return;
  float v = a[i];
  if (i >= n)
    return;
  b[i] = v;
}

// The condition reads first.
__global__ void condition(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (a[i] > 0 && i < n)
    b[i] = a[i];
}

// A variable from before changes.
__global__ void carries(const float *a, float *b, int n) {
  float sum = 0;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    sum += a[i];
    b[i] = sum;
  }
}

// The number changes.
__global__ void changes(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    b[i] = a[i];
    i += 1;
  }
}

// It prints.
__global__ void prints(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    b[i] = a[i];
    printf("%d", i);
  }
}

// Volatile memory.
__global__ void polls(const volatile float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = a[i];
}

// Another configuration does something else.
__global__ void configured(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
#if TWICE
    b[i] = 2 * a[i];
#else
    b[i] = a[i];
#endif
}

// The number is made by a macro.
__global__ void macro(const float *a, float *b, int n) {
  int i = NUMBER;
  if (i < n)
    b[i] = a[i];
}

// A return in a loop.
__global__ void leaves(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  for (int k = 0; k < 3; ++k) {
    if (a[k] > 0)
      return;
    b[y * n + x] = a[k];
  }
}

// Threads along z.
__global__ void deep(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = threadIdx.z;
  if (x < n && y < n)
    b[(z * n + y) * n + x] = 1;
}

// The grid is not seen to cover the elements: some stay as they are.
__global__ void partly(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = a[i];
}

// Its address is taken: there may be other launches.
__global__ void pointedTo(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = a[i];
}

int main(int argc, char **argv) {
  int n = argc * 100;
  float *a, *b;
  cudaMalloc(&a, n * n * 16);
  cudaMalloc(&b, n * n * 16);
  unbounded<<<(n + 127) / 128, 128>>>(a, b, n);
  waits<<<(n + 127) / 128, 128>>>(a, b, n);
  shares<<<(n + 127) / 128, 128>>>(a, b, n);
  votes<<<(n + 127) / 128, 128>>>(a, b, n);
  counts<<<(n + 127) / 128, 128>>>(a, b, n);
  blocks<<<(n + 127) / 128, 128>>>(a, b, n);
  threads<<<(n + 127) / 128, 128>>>(a, b, n);
  grids<<<(n + 127) / 128, 128>>>(a, b, n);
  strides<<<(n + 127) / 128, 128>>>(a, b, n);
  loops<<<(n + 127) / 128, 128>>>(a, b, n);
  early<<<(n + 127) / 128, 128>>>(a, b, n);
  between<<<(n + 127) / 128, 128>>>(a, b, n);
  condition<<<(n + 127) / 128, 128>>>(a, b, n);
  carries<<<(n + 127) / 128, 128>>>(a, b, n);
  changes<<<(n + 127) / 128, 128>>>(a, b, n);
  prints<<<(n + 127) / 128, 128>>>(a, b, n);
  polls<<<(n + 127) / 128, 128>>>(a, b, n);
  configured<<<(n + 127) / 128, 128>>>(a, b, n);
  macro<<<(n + 127) / 128, 128>>>(a, b, n);
  leaves<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(a, b, n);
  deep<<<dim3((n + 31) / 32, (n + 3) / 4), dim3(32, 4, 2)>>>(a, b, n);
  partly<<<n / 128, 128>>>(a, b, n);
  void (*kernel)(const float *, float *, int) = pointedTo;
  kernel<<<2, 128>>>(a, b, n);
  pointedTo<<<(n + 127) / 128, 128>>>(a, b, n);
}
