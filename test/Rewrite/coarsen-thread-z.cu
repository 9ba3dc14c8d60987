// Elements with a number along x, y and z: a thread makes several planes.
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply='coarsen-thread:stencil along z{items=4}' --apply='coarsen-thread:slices along z{items=2}' --apply='coarsen-thread:inside along z{items=8}' -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,coarsen-thread' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=SITES
// Other rules first: the sites are still there.
// RUN: cuda-l1-opt %s --rules='-*,const-restrict,block-size,hoist-invariant' --apply-all --needs-check -- %fake_cuda > %t.others.cu
// RUN: cuda-l1-opt %t.others.cu --rules='-*,coarsen-thread' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=OTHERS

// SITES:      coarsen-thread:stencil {items=4} {items=2} {items=8} [exact]
// SITES-NEXT: in stencil: several rows for each thread
// SITES:      coarsen-thread:stencil along z {items=4} {items=2} {items=8} [exact]
// SITES-NEXT: in stencil: several planes for each thread
// SITES-NEXT: because thread and block along z serve only to number the elements, which are bounded
// SITES:      coarsen-thread:slices along z
// SITES:      coarsen-thread:inside along z

// OTHERS-COUNT-3: several planes for each thread

#define EDGE 4
#define AT(f, x, y, z) f[((z) * n + (y)) * n + (x)]

// CHECK-LABEL: {{^[^/]*}}void stencil(
// CHECK:      {{^}}  int y = blockIdx.y * EDGE + threadIdx.y;
// CHECK-NEXT: {{^}}  #pragma unroll
// CHECK-NEXT: {{^}}  for (int item = 0; item < 4; ++item) {
// CHECK-NEXT: {{^}}    int z = (blockIdx.z * EDGE + threadIdx.z) * 4 + item;
// CHECK-NEXT: {{^}}    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
// CHECK-NEXT: {{^}}      continue;
// CHECK-NEXT: {{^}}    AT(b, x, y, z) = AT(a, x, y, z - 1) + AT(a, x, y, z + 1) - AT(a, x, y, z);
// CHECK-NEXT: {{^}}  }
__global__ void stencil(const float *a, float *b, int n) {
  int x = blockIdx.x * EDGE + threadIdx.x;
  int y = blockIdx.y * EDGE + threadIdx.y;
  int z = blockIdx.z * EDGE + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
    return;
  AT(b, x, y, z) = AT(a, x, y, z - 1) + AT(a, x, y, z + 1) - AT(a, x, y, z);
}

// A block for each few rows of a plane.
// CHECK-LABEL: {{^[^/]*}}void slices(
// CHECK: int z = blockIdx.z * 2 + item;
__global__ void slices(const float *a, float *b, int w, int h, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z;
  if (x < w && y < h && z < d)
    b[(z * h + y) * w + x] = 2 * a[(z * h + y) * w + x];
}

// Numbers in one declaration, and a bound on the way.
// CHECK-LABEL: {{^[^/]*}}void inside(
// CHECK: for (int item = 0; item < 8; ++item) {
// CHECK-NEXT: int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = (blockIdx.z * blockDim.z + threadIdx.z) * 8 + item;
__global__ void inside(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < n && y < n && z < n) {
    if (a[z] > 0)
      AT(b, x, y, z) = AT(a, x, y, z);
  }
}

int main(int argc, char **argv) {
  int n = argc * 10, w = n, h = 2 * n, d = 3 * n;
  float *a, *b;
  cudaMalloc(&a, n * n * n * 24);
  cudaMalloc(&b, n * n * n * 24);
  int blocks = (n + EDGE - 1) / EDGE;
  dim3 grid(blocks, blocks, blocks), block(EDGE, EDGE, EDGE);
  stencil<<<grid, block>>>(a, b, n);
  slices<<<dim3((w + 31) / 32, (h + 7) / 8, d), dim3(32, 8)>>>(a, b, w, h, d);
  inside<<<dim3((n + 31) / 32, (n + 3) / 4, (n + 1) / 2), dim3(32, 4, 2)>>>(a, b, n);
}
// CHECK: {{^}}  stencil<<<dim3(grid.x, grid.y, (grid.z + 3) / 4), block>>>(a, b, n);
// CHECK: {{^}}  slices<<<dim3((w + 31) / 32, (h + 7) / 8, (d + 1) / 2), dim3(32, 8)>>>(a, b, w, h, d);
// CHECK: {{^}}  inside<<<dim3((n + 31) / 32, (n + 3) / 4, (n + 15) / 16), dim3(32, 4, 2)>>>(a, b, n);
