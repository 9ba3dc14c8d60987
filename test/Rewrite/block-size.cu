// RUN: cuda-l1-opt %s --rules='-*,block-size' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,block-size' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,block-size' --list-sites --needs-check -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=SITES

// SITES:      block-size:scale {x=128} {x=512} {x=64} {x=1024} [exact]
// SITES-NEXT: in scale: another block size for scale
// SITES-NEXT: because the kernel uses thread and block indices only as blockIdx * blockDim + threadIdx
// SITES-NEXT: because no barrier, shared memory or warp operation ties its threads together
// SITES-NEXT: because its one launch is in this unit, with a block size of 256 x 1

#include <stdio.h>

// A guard against the very count that the grid is made from.
// CHECK-LABEL: {{^[^/]*}}void scale
__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2.0f;
}

// The same threads in smaller blocks need no guard; in larger ones they do.
// SITES: block-size:unguarded {x=128} {x=64} [exact]
// SITES-NOT: block-size:unguarded
__global__ void unguarded(float *a) {
  a[threadIdx.x + blockDim.x * blockIdx.x] = 1.0f;
}

// Constant and divisible: no thread more than before.
// SITES: block-size:divisible {x=256} {x=128} {x=512} {x=1024} [exact]
// SITES-NOT: block-size:divisible
__global__ void divisible(float *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
}

// A loop over all elements, whatever the number of threads.
// SITES: block-size:loop {x=256} {x=512} {x=64} {x=1024} [exact]
// SITES-NOT: block-size:loop
__global__ void loop(float *a, const float *b, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    a[i] += b[i];
}

// Two dimensions. More blocks in y might be too many.
// SITES: block-size:plane {x=32,y=16} {x=32,y=32} [exact]
// SITES: block-size:plane (to be checked) {x=32,y=8} {x=64,y=4} {x=32,y=4} {x=128,y=2} [exact, needs-check]
// SITES: only if threads beyond the last one of the author's launch do nothing
__global__ void plane(float *a, int w, int h) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  a[y * w + x] = 1.0f;
}

// The grid may be smaller than the count: then more threads do more.
// SITES: block-size:unrelated {x=128} {x=64} [exact]
// SITES: block-size:unrelated (to be checked) {x=512} {x=1024} [exact, needs-check]
__global__ void unrelated(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2.0f;
}

// SITES: block-size:named {x=128} {x=64} [exact]
__global__ void named(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
// SITES: block-size:line {x=128} {x=64} [exact]
__global__ void line(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
// A variable that serves nothing else is changed where it is made; a constant
// of the file stays in use.
// SITES: block-size:number {x=128} {x=64} [exact]
__global__ void number(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
// SITES: block-size:constant {x=128} {x=64} [exact]
static const int Threads = 256;
__global__ void constant(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }

// Nothing of what follows is listed at all.
// SITES-NOT: block-size

__global__ void perBlock(float *a) { a[blockIdx.x] = 1.0f; }

__global__ void firstThread(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && threadIdx.x == 0)
    a[i] = 1.0f;
}

__global__ void hardCoded(float *a, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n)
    a[i] = 1.0f;
}

__global__ void staged(float *a, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[i % 256] = a[i];
  __syncthreads();
  if (i < n)
    a[i] = s[i % 256];
}

__global__ void voted(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = __any_sync(0xffffffff, a[i]);
}

// Its partial sums depend on the number of threads.
__global__ void partial(const float *a, float *sums, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += a[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// One count for each thread of the grid.
__global__ void counted(int *count, float *a, int n) {
  atomicAdd(count, 1);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i] = 1.0f;
}

// The last iteration of a thread wins: which one depends on the stride.
__global__ void lastWins(float *a, const float *b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i % 1024] = b[i];
}

__global__ void notLaunched(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2.0f;
}

// A byte holds the indices of 256 threads, not of 512.
__global__ void narrow(float *a, int n) {
  unsigned char t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  if (i < n)
    a[i] = 1.0f;
}

__global__ void prints(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    printf("%f", a[i]);
}

__global__ void cooperative(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }

__global__ void twoSizes(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2.0f;
}

__global__ void sizeUnknown(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= 2.0f;
}

extern "C" cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
#define BLOCK 128
#define BLOCKS argc / 256 + 1
// CHECK-LABEL: {{^[^/]*}}int main
int main(int argc, char **argv) {
  float *a, *b;
  int n = 1000, *c;
  cudaMalloc(&a, n);
  cudaMalloc(&b, n);
  cudaMalloc(&c, n);
  // CHECK: scale<<<2 * ((n + 255) / 256), 128>>>(a, n);
  scale<<<(n + 255) / 256, 256>>>(a, n);
  // CHECK: unguarded<<<2 * argc, 128>>>(a);
  unguarded<<<argc, 256>>>(a);
  // CHECK: divisible<<<(4096 + 3) / 4, 256>>>(a);
  divisible<<<4096, 64>>>(a);
  // CHECK: loop<<<(blocks + 1) / 2, 256>>>(a, b, n);
  int blocks = argc * 8;
  loop<<<blocks, BLOCK>>>(a, b, n);
  // CHECK:      dim3 block(16, 16);
  // CHECK-NEXT: dim3 grid((n + block.x - 1) / 16, (n + 15) / 16);
  // CHECK-NEXT: plane<<<dim3((grid.x + 1) / 2, grid.y, grid.z), dim3(32, 16)>>>(a, n, n);
  dim3 block(16, 16);
  dim3 grid((n + block.x - 1) / 16, (n + 15) / 16);
  plane<<<grid, block>>>(a, n, n);
  // CHECK: unrelated<<<2 * argc, 128>>>(a, n);
  unrelated<<<argc, 256>>>(a, n);
  // A macro's body may be anything; a row of blocks needs no dim3.
  // CHECK:      named<<<2 * (BLOCKS), 128>>>(a);
  // CHECK:      dim3 row(argc);
  // CHECK-NEXT: dim3 column(128);
  // CHECK-NEXT: line<<<2 * row.x, column>>>(a);
  // CHECK-NEXT: int threads = 128;
  // CHECK-NEXT: number<<<2 * argc, threads>>>(a);
  // CHECK-NEXT: constant<<<2 * argc, Threads / 2>>>(a);
  named<<<BLOCKS, 256>>>(a);
  dim3 row(argc);
  dim3 column(256);
  line<<<row, column>>>(a);
  int threads = 256;
  number<<<argc, threads>>>(a);
  constant<<<argc, Threads>>>(a);

  perBlock<<<4, 256>>>(a);
  firstThread<<<(n + 255) / 256, 256>>>(a, n);
  hardCoded<<<(n + 255) / 256, 256>>>(a, n);
  staged<<<(n + 255) / 256, 256>>>(a, n);
  voted<<<(n + 255) / 256, 256>>>(c, n);
  partial<<<16, 256>>>(a, b, n);
  counted<<<16, 256>>>(c, a, n);
  lastWins<<<16, 256>>>(a, b, n);
  prints<<<(n + 255) / 256, 256>>>(a, n);
  narrow<<<(n + 255) / 256, 256>>>(a, n);
  void *args[] = {&a};
  cudaLaunchCooperativeKernel((void *)cooperative, dim3(64), dim3(256), args, 0, 0);
  twoSizes<<<(n + 255) / 256, 256>>>(a, n);
  twoSizes<<<(n + 127) / 128, 128>>>(a, n);
  sizeUnknown<<<argc, argc>>>(a, n);
  return 0;
}
