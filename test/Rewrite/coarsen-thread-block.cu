// Kernels that wait at barriers: a thread does several rows of its block.
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply='coarsen-thread:transpose in its block{items=4}' --apply='coarsen-thread:gradient in its block{items=2}' --apply='coarsen-thread:sums in its block{items=8}' -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,coarsen-thread' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=SITES
// Other rules first, and then: the sites are still there.
// RUN: cuda-l1-opt %s --rules='-*,pad-shared,const-restrict,hoist-invariant' --apply-all -- %fake_cuda > %t.others.cu
// RUN: cuda-l1-opt %t.others.cu --rules='-*,coarsen-thread' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=OTHERS
// RUN: cuda-l1-opt %t.cu --rules='-*,pad-shared' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=THEN

// SITES:      coarsen-thread:transpose in its block {items=4} {items=2} {items=8} [exact]
// SITES-NEXT: in transpose: several rows of its block for each thread
// SITES-NEXT: because barriers cut the kernel into 2 phases, in which threads do not see each other, and which compute all that they need of earlier ones anew
// SITES-NEXT: because no atomic or warp operation ties threads together
// SITES:      coarsen-thread:gradient in its block {items=4} {items=2} [exact]
// SITES:      coarsen-thread:sums in its block

// OTHERS-COUNT-3: several rows of its block for each thread
// THEN: pad-shared:tile [exact]

#define TILE 32

// The variables are set anew behind the barrier.
// CHECK-LABEL: {{^[^/]*}}void transpose(
// CHECK-NEXT: {{^}}  __shared__ float tile[TILE][TILE];
// CHECK-NEXT: {{^}}  #pragma unroll
// CHECK-NEXT: {{^}}  for (int row = 0; row < 32; row += 8) {
// CHECK-NEXT: {{^}}    int x = blockIdx.x * TILE + threadIdx.x;
// CHECK-NEXT: {{^}}    int y = blockIdx.y * TILE + threadIdx.y + row;
// CHECK-NEXT: {{^}}    // Rows of the input.
// CHECK-NEXT: {{^}}    if (x < w && y < h)
// CHECK-NEXT: {{^}}      tile[threadIdx.y + row][threadIdx.x] = in[y * w + x];
// CHECK-NEXT: {{^}}  }
// CHECK-NEXT: {{^}}  __syncthreads(); // the tile is there
// CHECK-NEXT: {{^}}  #pragma unroll
// CHECK-NEXT: {{^}}  for (int row = 0; row < 32; row += 8) {
// CHECK-NEXT: {{^}}    int x = blockIdx.y * TILE + threadIdx.x;
// CHECK-NEXT: {{^}}    int y = blockIdx.x * TILE + threadIdx.y + row;
// CHECK-NEXT: {{^}}    if (x < h && y < w)
// CHECK-NEXT: {{^}}      out[y * h + x] = tile[threadIdx.x][threadIdx.y + row];
// CHECK-NEXT: {{^}}  }
__global__ void transpose(const float *in, float *out, int w, int h) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  // Rows of the input.
  if (x < w && y < h)
    tile[threadIdx.y][threadIdx.x] = in[y * w + x];
  __syncthreads(); // the tile is there
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  if (x < h && y < w)
    out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}

// What never changes is computed again; what all rows share stands in front.
// CHECK-LABEL: {{^[^/]*}}void gradient(
// CHECK-NEXT: {{^}}  __shared__ float tile[16][33];
// CHECK-NEXT: {{^}}  const int tx = threadIdx.x;
// CHECK-NEXT: {{^}}  const int x = blockIdx.x * 32 + tx;
// CHECK-NEXT: {{^}}  #pragma unroll
// CHECK-NEXT: {{^}}  for (int row = 0; row < 16; row += 8) {
// CHECK-NEXT: {{^}}    const int ty = threadIdx.y + row;
// CHECK-NEXT: {{^}}    const int y = blockIdx.y * (blockDim.y * 2) + ty;
// CHECK-NEXT: {{^}}    float v = 0;
// CHECK-NEXT: {{^}}    if (x < n && y < n)
// CHECK-NEXT: {{^}}      v = a[y * n + x];
// CHECK-NEXT: {{^}}    tile[ty][tx] = v;
// CHECK-NEXT: {{^}}  }
// CHECK-NEXT: {{^}}  __syncthreads();
// CHECK-NEXT: {{^}}  #pragma unroll
// CHECK-NEXT: {{^}}  for (int row = 0; row < 16; row += 8) {
// CHECK-NEXT: {{^}}    const int ty = threadIdx.y + row;
// CHECK-NEXT: {{^}}    const int y = blockIdx.y * (blockDim.y * 2) + ty;
// CHECK-NEXT: {{^}}    if (ty > 0 && x < n && y < n)
// CHECK-NEXT: {{^}}      b[y * n + x] = tile[ty][tx] - tile[ty - 1][tx];
// CHECK-NEXT: {{^}}  }
__global__ void gradient(const float *a, float *b, int n) {
  __shared__ float tile[16][33];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int x = blockIdx.x * 32 + tx;
  const int y = blockIdx.y * blockDim.y + ty;
  float v = 0;
  if (x < n && y < n)
    v = a[y * n + x];
  tile[ty][tx] = v;
  __syncthreads();
  if (ty > 0 && x < n && y < n)
    b[y * n + x] = tile[ty][tx] - tile[ty - 1][tx];
}

// A loop in a phase is not unrolled; a phase with nothing to do, and numbers
// that are multiplied.
// CHECK-LABEL: {{^[^/]*}}void sums(
// CHECK:      {{^}}  __shared__ float part[1024];
// CHECK-NEXT: {{^}}  for (int row2 = 0; row2 < 32; row2 += 4) {
// CHECK-NEXT: {{^}}    int t = (threadIdx.y + row2) * 32 + threadIdx.x;
// CHECK:      {{^}}    for (int k = 0; k < 8; ++k)
// CHECK:      {{^}}  __syncthreads();
// CHECK-NEXT: {{^}}  __syncthreads();
// CHECK-NEXT: {{^}}  #pragma unroll
// CHECK-NEXT: {{^}}  for (int row2 = 0; row2 < 32; row2 += 4) {
// CHECK-NEXT: {{^}}    if ((threadIdx.y + row2) == 0)
__global__ void sums(const float *a, float *b, int row) {
  __shared__ float part[1024];
  int t = threadIdx.y * 32 + threadIdx.x;
  part[t] = 0;
  for (int k = 0; k < 8; ++k)
    part[t] += a[(row * 8 + k) * 1024 + t];
  __syncthreads();
  __syncthreads();
  if (threadIdx.y == 0)
    b[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 512];
}

int main(int argc, char **argv) {
  int w = argc * 100, h = argc * 70, n = w;
  float *a, *b;
  cudaMalloc(&a, n * n * 4);
  cudaMalloc(&b, n * n * 4);
  dim3 block(TILE, TILE), grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE);
  transpose<<<grid, block>>>(a, b, w, h);
  gradient<<<dim3((n + 31) / 32, (n + 15) / 16), dim3(32, 16)>>>(a, b, n);
  sums<<<1, dim3(TILE, TILE)>>>(a, b, 0);
}
// CHECK: {{^}}  transpose<<<grid, dim3(32, 8)>>>(a, b, w, h);
// CHECK: {{^}}  gradient<<<dim3((n + 31) / 32, (n + 15) / 16), dim3(32, 8)>>>(a, b, n);
// CHECK: {{^}}  sums<<<1, dim3(TILE, 4)>>>(a, b, 0);
