// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,coarsen-thread' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --list-sites -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=SITES
// Other rules first: the sites are still there.
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement,const-restrict,block-size,swap-thread-indices,hoist-invariant' --apply-all -- %fake_cuda > %t.others.cu
// RUN: cuda-l1-opt %t.others.cu --rules='-*,coarsen-thread' --list-sites -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=OTHERS
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply=coarsen-thread:blur{items=8} -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=EIGHT

// SITES:      coarsen-thread:scale {items=4} {items=2} {items=8} [exact]
// SITES-NEXT: in scale: several elements for each thread
// SITES-NEXT: because thread and block along x serve only to number the elements, which are bounded
// SITES-NEXT: because no barrier, shared memory, atomic or warp operation ties threads together
// SITES-NEXT: because its one launch is in this unit and can be changed, and its grid covers all elements
// SITES:      in blur: several rows for each thread

// OTHERS-COUNT-5: several {{elements|rows}} for each thread

// EIGHT: for (int item = 0; item < 8; ++item) {
// EIGHT: int y = (blockIdx.y * TILE + threadIdx.y) * 8 + item;
// EIGHT: blur<<<dim3((w + 15) / 16, (h + 127) / 128), dim3(TILE, TILE)>>>(a, b, w, h);

#define TILE 16
#define BLOCK 128

// CHECK-LABEL: {{^[^/]*}}void scale(
// CHECK:      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
// CHECK-NEXT: b[i] = k * a[i];
__global__ void scale(const float *a, float *b, float k, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = k * a[i];
}

// An early return, another one, a macro for the block's size.
// CHECK-LABEL: {{^[^/]*}}void positive(
// CHECK:      {{^}}  T twice = 2 * k;
// CHECK-NEXT: {{^}}  for (int i = BLOCK * blockIdx.x + threadIdx.x; i < n; i += BLOCK * gridDim.x) { // element
// CHECK-NEXT: {{^}}    if (a[i] < 0)
// CHECK-NEXT: {{^}}      continue;
// CHECK-NEXT: {{^}}    // Only these.
// CHECK-NEXT: {{^}}    b[i] = twice * a[i];
// CHECK-NEXT: {{^}}  }
// CHECK-NEXT: {{^}}}
template <typename T> __global__ void positive(const T *a, T *b, T k, int n) {
  T twice = 2 * k;
  int i = BLOCK * blockIdx.x + threadIdx.x; // element
  if (i >= n) {
    return;
  }
  if (a[i] < 0)
    return;
  // Only these.
  b[i] = twice * a[i];
}

// More than one bound, the index in parts.
// CHECK-LABEL: {{^[^/]*}}void inner(
// CHECK:      {{^}}  for (int item = 0; item < 4; ++item) {
// CHECK-NEXT: {{^}}    int t = threadIdx.x, i = (blockIdx.x * 4 + item) * blockDim.x + t;
// CHECK-NEXT: {{^}}    if (i == 0 || i >= n - 1)
// CHECK-NEXT: {{^}}      continue;
// CHECK-NEXT: {{^}}    b[i] = a[i - 1] + a[i + 1];
// CHECK-NEXT: {{^}}  }
__global__ void inner(const float *a, float *b, int n) {
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (i == 0 || i >= n - 1)
    return;
  b[i] = a[i - 1] + a[i + 1];
}

// Rows, a macro for the tile.
// CHECK-LABEL: {{^[^/]*}}void blur(
// CHECK:      {{^}}  int x = blockIdx.x * TILE + threadIdx.x;
// CHECK-NEXT: {{^}}  #pragma unroll
// CHECK-NEXT: {{^}}  for (int item = 0; item < 4; ++item) {
// CHECK-NEXT: {{^}}    int y = (blockIdx.y * TILE + threadIdx.y) * 4 + item;
// CHECK-NEXT: {{^}}    if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
// CHECK-NEXT: {{^}}      b[y * w + x] = (a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] +
// CHECK-NEXT: {{^}}                      a[(y + 1) * w + x]) / 4;
// CHECK-NEXT: {{^}}  }
__global__ void blur(const float *a, float *b, int w, int h) {
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1)
    b[y * w + x] = (a[y * w + x - 1] + a[y * w + x + 1] + a[(y - 1) * w + x] +
                    a[(y + 1) * w + x]) / 4;
}

// Rows, both numbers in one declaration, a loop that continues by itself.
// CHECK-LABEL: {{^[^/]*}}void taps(
// CHECK:      int x = blockIdx.x * blockDim.x + threadIdx.x, y = (blockIdx.y * blockDim.y + threadIdx.y) * 4 + item;
// CHECK-NEXT: if (x >= w || y >= h)
// CHECK-NEXT: continue;
// CHECK-NEXT: float sum = 0;
__global__ void taps(const float *a, float *b, const float *f, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k) {
    if (x + k < 0 || x + k >= w)
      continue;
    sum += f[k + 2] * a[y * w + x + k];
  }
  b[y * w + x] = sum;
}

int main(int argc, char **argv) {
  int w = argc * 100, h = argc * 70, n = w * h;
  float *a, *b, *c;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&c, 20);
  int blocks = (n + BLOCK - 1) / BLOCK;
  scale<<<(n + 255) / 256, 256>>>(a, b, 2.0f, n);
  positive<<<blocks, BLOCK>>>(a, b, 2.0f, n);
  inner<<<(n + 127) / 128, 128>>>(a, b, n);
  blur<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(TILE, TILE)>>>(a, b, w, h);
  dim3 grid((w + 31) / 32, (h + 7) / 8);
  taps<<<grid, dim3(32, 8)>>>(a, b, c, w, h);
}
// CHECK: {{^}}  scale<<<(n + 1023) / 1024, 256>>>(a, b, 2.0f, n);
// CHECK: {{^}}  positive<<<(blocks + 3) / 4, BLOCK>>>(a, b, 2.0f, n);
// CHECK: {{^}}  inner<<<(n + 511) / 512, 128>>>(a, b, n);
// CHECK: {{^}}  blur<<<dim3((w + 15) / 16, (h + 63) / 64), dim3(TILE, TILE)>>>(a, b, w, h);
// CHECK: {{^}}  taps<<<dim3(grid.x, (grid.y + 3) / 4), dim3(32, 8)>>>(a, b, c, w, h);
