// No kernel here makes several planes a thread: each has one trait that forbids
// it. (Along y there may be sites.)
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --list-sites --needs-check -- %fake_cuda | FileCheck %s --allow-empty
// CHECK-NOT: along z

#define NUMBERS(z) \
  int x = blockIdx.x * blockDim.x + threadIdx.x; \
  int y = blockIdx.y * blockDim.y + threadIdx.y; \
  int z = blockIdx.z * blockDim.z + threadIdx.z;

// The numbers are made by a macro.
__global__ void macro(const float *a, float *b, int n) {
  NUMBERS(z)
  if (x < n && y < n && z < n)
    b[(z * n + y) * n + x] = a[(z * n + y) * n + x];
}
// No bound along z: surplus threads would make more planes.
__global__ void unbounded(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < n && y < n)
    b[(z * n + y) * n + x] = a[(z * n + y) * n + x];
}
// The grid is not seen to cover the planes: some stay as they are.
__global__ void partly(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < n && y < n && z < n)
    b[(z * n + y) * n + x] = a[(z * n + y) * n + x];
}
// The thread along z, the block's depth or the number of blocks by itself.
__global__ void threads(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < n && y < n && z < n)
    b[(z * n + y) * n + x] = a[threadIdx.z];
}
__global__ void blocks(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < n && y < n && z < n)
    b[(z * n + y) * n + x] = a[blockIdx.z];
}
__global__ void grids(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < n && y < n && z < n)
    b[(z * n + y) * n + x] = a[gridDim.z];
}
// Blocks are two threads deep, which do the same.
__global__ void twice(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z;
  if (x < n && y < n && z < n)
    b[(z * n + y) * n + x] += a[(z * n + y) * n + x];
}
// No name along z.
__global__ void nameless(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n && blockIdx.z < n)
    b[(blockIdx.z * n + y) * n + x] = 1;
}
// A sum goes from one plane to the next.
__global__ void carries(const float *a, float *b, int n) {
  float sum = 0;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < n && y < n && z < n) {
    sum += a[z];
    b[(z * n + y) * n + x] = sum;
  }
}
// Memory is accessed before the bound is looked at; a barrier.
__global__ void early(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  float v = a[z];
  if (x < n && y < n && z < n)
    b[(z * n + y) * n + x] = v;
}
__global__ void waits(const float *a, float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  __syncthreads();
  if (x < n && y < n && z < n)
    b[(z * n + y) * n + x] = a[(z * n + y) * n + x];
}

int main(int argc, char **argv) {
  int n = argc * 10;
  float *a, *b;
  cudaMalloc(&a, n * n * n * 4);
  cudaMalloc(&b, n * n * n * 4);
  dim3 grid((n + 31) / 32, (n + 3) / 4, (n + 1) / 2), block(32, 4, 2);
  macro<<<grid, block>>>(a, b, n);
  unbounded<<<grid, block>>>(a, b, n);
  partly<<<dim3((n + 31) / 32, (n + 3) / 4, n / 2), block>>>(a, b, n);
  threads<<<grid, block>>>(a, b, n);
  blocks<<<grid, block>>>(a, b, n);
  grids<<<grid, block>>>(a, b, n);
  twice<<<dim3((n + 31) / 32, (n + 3) / 4, n), block>>>(a, b, n);
  nameless<<<dim3((n + 31) / 32, (n + 3) / 4, n), dim3(32, 4)>>>(a, b, n);
  carries<<<grid, block>>>(a, b, n);
  early<<<grid, block>>>(a, b, n);
  waits<<<grid, block>>>(a, b, n);
}
