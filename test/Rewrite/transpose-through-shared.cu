// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,transpose-through-shared' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --list-sites -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=SITES
// Other rules first: the sites are still there, and the result is parsed again.
// RUN: cuda-l1-opt %s --rules='-*,scalar-replacement,const-restrict,strength-reduction,hoist-invariant' --apply-all -- %fake_cuda > %t.others.cu
// RUN: cuda-l1-opt %t.others.cu --rules='-*,transpose-through-shared' --apply-all -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=OTHERS
// RUN: cuda-l1-opt %s --rules='-*,swap-thread-indices,block-size' --apply-all -- %fake_cuda > %t.swapped.cu
// RUN: cuda-l1-opt %t.swapped.cu --rules='-*,transpose-through-shared' --apply-all -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=OTHERS
// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --apply=transpose-through-shared:scaled{tile=64,rows=16} -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=LARGE
// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --apply=transpose-through-shared:scaled{tile=64,rows=16,columns=32} -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=COLUMNS

// SITES:      transpose-through-shared:scaled {rows=8,tile=32} {columns=32,rows=16,tile=64} {rows=4,tile=32} {rows=8,tile=64} {rows=16,tile=64} {rows=16,tile=32} [exact]
// SITES-NEXT: in scaled<float>: move elements of in through shared memory
// SITES-NEXT: because each thread loads and stores elements of its own row and column, and ties no others to it
// SITES:      because all 2 launches are in this unit, can be changed and cover all rows and columns
// SITES:      transpose-through-shared:gather {rows=8,tile=32} {columns=32,rows=16,tile=64} {rows=4,tile=32} {rows=8,tile=64} {rows=16,tile=64} {rows=16,tile=32} [exact]

// OTHERS-COUNT-7: {{^ *}}__shared__

// LARGE:      constexpr int TILE_DIM = 64, BLOCK_ROWS = 16;
// LARGE:      dim3 block(64, 16);
// LARGE:      dim3((n + 63) / 64, (m + 63) / 64)

// COLUMNS:      constexpr int TILE_DIM = 64, BLOCK_ROWS = 16, BLOCK_COLUMNS = 32;
// COLUMNS:      {{^}}  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
// COLUMNS-NEXT: {{^}}    for (int j = 0; j < TILE_DIM; j += BLOCK_COLUMNS) {
// COLUMNS:      tile[threadIdx.y + i][threadIdx.x + j] =
// COLUMNS:      tile[threadIdx.x + j][threadIdx.y + i]
// COLUMNS:      dim3 block(32, 16);
// COLUMNS:      dim3((n + 63) / 64, (m + 63) / 64)

#define TILE 16

// A template, a macro for the block's size, an early return, named offsets.
// CHECK-LABEL: {{^[^/]*}}void scaled(
template <typename T>
__global__ void scaled(const T *in, T *out, T scale, int rows, int cols) {
  // CHECK-NEXT: {{^}}  // A block moves TILE_DIM x TILE_DIM elements through shared memory, so that
  // CHECK-NEXT: {{^}}  // neighbouring threads both load and store neighbouring elements.
  // CHECK-NEXT: {{^}}  constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
  // CHECK-NEXT: {{^}}  __shared__ T tile[TILE_DIM][TILE_DIM + 1];
  // CHECK-NEXT: {{^}}  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
  // CHECK-NEXT: {{^}}    const int col = blockIdx.x * TILE_DIM + threadIdx.x;
  // CHECK-NEXT: {{^}}    const int row = blockIdx.y * TILE_DIM + threadIdx.y + i;
  // CHECK-NEXT: {{^}}    if (col < cols && row < rows) {
  // CHECK-NEXT: {{^}}      size_t src = (size_t)row * cols + col;
  // CHECK-NEXT: {{^}}      tile[threadIdx.y + i][threadIdx.x] = in[src];
  // CHECK-NEXT: {{^}}    }
  // CHECK-NEXT: {{^}}  }
  // CHECK-NEXT: {{^}}  __syncthreads();
  // CHECK-NEXT: {{^}}  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
  // CHECK-NEXT: {{^}}    const int col = blockIdx.x * TILE_DIM + threadIdx.y + i;
  // CHECK-NEXT: {{^}}    const int row = blockIdx.y * TILE_DIM + threadIdx.x;
  // CHECK-NEXT: {{^}}    if (col < cols && row < rows) {
  // CHECK-NEXT: {{^}}      size_t dst = (size_t)col * rows + row;
  // CHECK-NEXT: {{^}}      // One value.
  // CHECK-NEXT: {{^}}      T v = tile[threadIdx.x][threadIdx.y + i]; // read once
  // CHECK-NEXT: {{^}}      out[dst] = v * scale;
  // CHECK-NEXT: {{^}}    }
  // CHECK-NEXT: {{^}}  }
  // CHECK-NEXT: {{^}}}

  const int col = blockIdx.x * TILE + threadIdx.x;
  const int row = blockIdx.y * TILE + threadIdx.y;
  if (row >= rows || col >= cols)
    return;
  size_t src = (size_t)row * cols + col;
  size_t dst = (size_t)col * rows + row;
  // One value.
  T v = in[src]; // read once
  out[dst] = v * scale;
}

// The loads are strided; a condition around a load; nested guards; `i` is
// taken.
// CHECK-LABEL: {{^[^/]*}}void gather(
__global__ void gather(const double *a, double *b, const double *bias, int n) {
  // CHECK:      constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
  // CHECK-NEXT: __shared__ double tile[TILE_DIM][TILE_DIM + 1];
  // CHECK-NEXT: for (int r = 0; r < TILE_DIM; r += BLOCK_ROWS) {
  // CHECK-NEXT: unsigned int j = blockIdx.x * TILE_DIM + threadIdx.y + r;
  // CHECK-NEXT: unsigned int i = blockIdx.y * TILE_DIM + threadIdx.x;
  // CHECK-NEXT: if (j < n && i < n)
  // CHECK-NEXT: tile[threadIdx.y + r][threadIdx.x] = bias[j] > 0 ? a[j * n + i] + bias[j] : 0.0;
  // CHECK:      unsigned int j = blockIdx.x * TILE_DIM + threadIdx.x;
  // CHECK-NEXT: unsigned int i = blockIdx.y * TILE_DIM + threadIdx.y + r;
  // CHECK-NEXT: if (j < n && i < n)
  // CHECK-NEXT: b[i * n + j] += tile[threadIdx.x][threadIdx.y + r];

  unsigned j = threadIdx.x + blockIdx.x * blockDim.x, i = threadIdx.y + blockIdx.y * blockDim.y;
  if (i < n) {
    if (j < n) {
      b[i * n + j] += bias[j] > 0 ? a[j * n + i] + bias[j] : 0.0;
    }
  }
}

// Two loads, a uniform value, a condition in the work.
// CHECK-LABEL: {{^[^/]*}}void both(
__global__ void both(const float *a, const float *b, float *c, int w, int h) {
  // CHECK:      __shared__ float tileA[TILE_DIM][TILE_DIM + 1];
  // CHECK-NEXT: __shared__ float tileB[TILE_DIM][TILE_DIM + 1];
  // CHECK-NEXT: int half = w / 2;
  // CHECK:      tileA[threadIdx.y + i][threadIdx.x] = a[y * w + x];
  // CHECK-NEXT: tileB[threadIdx.y + i][threadIdx.x] = __ldg(&b[y * w + x]);
  // CHECK:      float s = tileA[threadIdx.x][threadIdx.y + i] * 2.0f + tileB[threadIdx.x][threadIdx.y + i];
  // CHECK-NEXT: if (tileA[threadIdx.x][threadIdx.y + i] < 0.0f)
  // CHECK-NEXT: s = half;
  // CHECK-NEXT: c[x * h + y] = s;

  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int half = w / 2;
  if (x < w && y < h) {
    float s = a[y * w + x] * 2.0f + __ldg(&b[y * w + x]);
    if (a[y * w + x] < 0.0f)
      s = half;
    c[x * h + y] = s;
  }
}

// Vectors, a batch along z, launch bounds.
// CHECK-LABEL: {{^[^/]*}}void __launch_bounds__(256) batched(
__global__ void __launch_bounds__(512) batched(const float2 *in, float2 *out, int w, int h) {
  // CHECK:      const float2 *from = in + blockIdx.z * w * h;
  // CHECK:      tile[threadIdx.y + i][threadIdx.x] = from[y * w + x];
  // CHECK:      out[blockIdx.z * w * h + x * h + y] = tile[threadIdx.x][threadIdx.y + i];

  const float2 *from = in + blockIdx.z * w * h;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[blockIdx.z * w * h + x * h + y] = from[y * w + x];
}

// As many threads as elements; bytes need more padding.
// CHECK-LABEL: {{^[^/]*}}void whole(
__global__ void whole(const unsigned char *in, short *out) {
  // CHECK:      __shared__ unsigned char tile[TILE_DIM][TILE_DIM + 4];
  // CHECK:      int y = blockIdx.y * TILE_DIM + threadIdx.y + i;
  // CHECK-NEXT: tile[threadIdx.y + i][threadIdx.x] = in[y * 256 + x];
  // CHECK:      out[x * 128 + y] = tile[threadIdx.x][threadIdx.y + i];

  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * 128 + y] = in[y * 256 + x];
}

// A block of one dimension that the kernel cuts.
// CHECK-LABEL: {{^[^/]*}}void cut(
__global__ void cut(const float *in, float *out, int w, int h) {
  // CHECK:      int x = blockIdx.x * TILE_DIM + threadIdx.x;
  // CHECK-NEXT: int y = blockIdx.y * TILE_DIM + threadIdx.y + i;

  int x = blockIdx.x * 32 + threadIdx.x % 32;
  int y = blockIdx.y * 8 + threadIdx.x / 32;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}

// CHECK: {{^}}  dim3 block(32, 8);
// CHECK: {{^}}  scaled<<<dim3((n + 31) / 32, (m + 31) / 32), block>>>(a, b, 2.0f, m, n);
// CHECK: {{^}}  scaled<<<dim3((n + 31) / 32, (m + 31) / 32), block>>>(d, e, 2.0, m, n);
// CHECK: {{^}}  gather<<<dim3((n + 31) / 32, (n + 31) / 32), dim3(32, 8)>>>(d, e, f, n);
// CHECK: {{^}}  batched<<<dim3((n + 31) / 32, (m + 31) / 32, 5), dim3(32, 8)>>>(g, h, n, m);
// CHECK: {{^}}  whole<<<dim3(8, 4), dim3(32, 8)>>>(u, s);
// CHECK: {{^}}  cut<<<dim3((n + 31) / 32, (m + 31) / 32), dim3(32, 8)>>>(a, b, n, m);
int main(int argc, char **argv) {
  int n = argc * 100, m = argc * 70;
  float *a, *b, *c;
  double *d, *e, *f;
  float2 *g, *h;
  unsigned char *u;
  short *s;
  cudaMalloc(&a, m * n * 4);
  cudaMalloc(&b, m * n * 4);
  cudaMalloc(&c, m * n * 4);
  cudaMalloc(&d, m * n * 8);
  cudaMalloc(&e, m * n * 8);
  cudaMalloc(&f, m * n * 8);
  cudaMalloc(&g, m * n * 40);
  cudaMalloc(&h, m * n * 40);
  cudaMalloc(&u, 128 * 256);
  cudaMalloc(&s, 128 * 256 * 2);
  dim3 block(16, 16);
  scaled<<<dim3((n + 15) / 16, (m + 15) / 16), block>>>(a, b, 2.0f, m, n);
  scaled<<<dim3((n + 15) / 16, (m + 15) / 16), block>>>(d, e, 2.0, m, n);
  gather<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(d, e, f, n);
  both<<<dim3((n + 31) / 32, (m + 7) / 8), dim3(32, 8)>>>(a, b, c, n, m);
  batched<<<dim3((n + 31) / 32, (m + 15) / 16, 5), dim3(32, 16)>>>(g, h, n, m);
  whole<<<dim3(8, 8), dim3(32, 16)>>>(u, s);
  cut<<<dim3((n + 31) / 32, (m + 7) / 8), 256>>>(a, b, n, m);
}
