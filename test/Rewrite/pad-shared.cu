// What pad-shared rewrites and what it leaves alone.
// RUN: cuda-l1-opt %s --rules='-*,pad-shared' --apply-all -o %t.cu -- %fake_cuda
// RUN: FileCheck %s --match-full-lines --strict-whitespace < %t.cu
// A second run finds nothing more to do.
// RUN: cuda-l1-opt %t.cu --rules='-*,pad-shared' --apply-all -o %t2.cu -- %fake_cuda
// RUN: diff %t.cu %t2.cu
// RUN: cuda-l1-opt %s --rules='-*,pad-shared' --list-sites --needs-check -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=SITES
// SITES: pad the rows of tile by one element
// SITES: 32 of them on one bank
// SITES: the last subscript is always below 32
// SITES: the last subscript of tile is never below 0 nor 32 or more
// SITES-NOT: pad the rows

#define TILE 32
#define ROWS 8

__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[TILE][TILE]; // one block's part
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  for (int j = 0; j < TILE; j += ROWS)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
//      CHECK:__global__ void transpose({{.*}}
// CHECK-NEXT:  __shared__ float tile[TILE][TILE + 1]; // one block's part

// The shape of the blocks is not known here.
__global__ void unseen(const float *in, float *out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
//      CHECK:__global__ void unseen({{.*}}
// CHECK-NEXT:  __shared__ float tile[32][32];

// Rows are read along: no conflict.
__global__ void along(const float *in, float *out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}
//      CHECK:__global__ void along({{.*}}
// CHECK-NEXT:  __shared__ float tile[32][32];

// A row or the whole array is used by other means.
__device__ float sumOf(const float *row);
__global__ void whole(const float *in, float *out) {
  __shared__ float passed[32][32];
  __shared__ float flat[32][32];
  __shared__ float sized[32][32];
  passed[threadIdx.x][0] = in[threadIdx.x];
  flat[threadIdx.x][0] = in[threadIdx.x];
  sized[threadIdx.x][0] = in[threadIdx.x];
  float *p = &flat[0][0];
  out[0] = sumOf(passed[threadIdx.x]) + p[threadIdx.x] + sizeof(sized);
}
//      CHECK:__global__ void whole({{.*}}
// CHECK-NEXT:  __shared__ float passed[32][32];
// CHECK-NEXT:  __shared__ float flat[32][32];
// CHECK-NEXT:  __shared__ float sized[32][32];

// The padded array would not fit; the width fits no bank; another
// configuration uses the array in another way.
__global__ void others(const float *in, float *out) {
  __shared__ double large[192][32];
  large[threadIdx.x][threadIdx.y] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = large[threadIdx.y][threadIdx.x];
}
__global__ void odd(const float *in, float *out) {
  __shared__ float odd[32][33];
  odd[threadIdx.x][threadIdx.y] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = odd[threadIdx.y][threadIdx.x];
}
__global__ void configured(const float *in, float *out) {
  __shared__ float tile[32][32];
#ifdef FLAT
  tile[0][threadIdx.y * 32 + threadIdx.x] = in[threadIdx.x];
#else
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.x];
#endif
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
//      CHECK:__global__ void others({{.*}}
// CHECK-NEXT:  __shared__ double large[192][32];
//      CHECK:  __shared__ float odd[32][33];
//      CHECK:  __shared__ float tile[32][32];

int main() {
  float *in, *out;
  cudaMalloc((void **)&in, 4096);
  cudaMalloc((void **)&out, 4096);
  int n = 32;
  transpose<<<dim3(4, 4), dim3(TILE, ROWS)>>>(in, out, n);
  along<<<1, dim3(32, 32)>>>(in, out);
  whole<<<1, dim3(32, 32)>>>(in, out);
  others<<<1, dim3(32, 32)>>>(in, out);
  odd<<<1, dim3(32, 32)>>>(in, out);
  configured<<<1, dim3(32, 32)>>>(in, out);
}
