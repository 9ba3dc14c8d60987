// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,coarsen-thread' --apply-all --needs-check -- %fake_cuda | diff %s -

// A barrier in a loop, or under a condition that all threads share.
__global__ void loops(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  for (int k = 0; k < n; ++k) {
    tile[threadIdx.y][threadIdx.x] = a[k * 1024 + threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    b[k * 1024 + threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
    __syncthreads();
  }
}
__global__ void maybe(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  if (n > 0)
    __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
// A value goes over the barrier: loaded before it, or summed up.
__global__ void carries(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  float v = a[threadIdx.y * 32 + threadIdx.x];
  tile[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = v - tile[threadIdx.x][threadIdx.y];
}
__global__ void adds(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  float sum = 0;
  sum += a[threadIdx.y * 32 + threadIdx.x];
  tile[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  sum += tile[threadIdx.x][threadIdx.y];
  b[threadIdx.y * 32 + threadIdx.x] = sum;
}
// ... also where it is set anew only in some threads, or from itself.
__global__ void sometimes(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  int i = threadIdx.y * 32 + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = a[i];
  __syncthreads();
  if (n > 3)
    i = threadIdx.x * 32 + threadIdx.y;
  b[i] = tile[threadIdx.x][threadIdx.y];
}
__global__ void itself(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  int i = threadIdx.y * 32 + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = a[i];
  __syncthreads();
  i = i + n;
  b[i] = tile[threadIdx.x][threadIdx.y];
}
// An array of the thread's own; a parameter that changes.
__global__ void arrays(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  float own[2];
  own[0] = a[threadIdx.y];
  tile[threadIdx.y][threadIdx.x] = own[0];
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = own[0] + tile[threadIdx.x][threadIdx.y];
}
__global__ void parameters(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  n += threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = a[n];
  __syncthreads();
  b[n] = tile[threadIdx.x][threadIdx.y];
}
// Threads leave early; a warp operation; an atomic one; volatile memory.
__global__ void leaves(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  if (blockIdx.x > n)
    return;
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void votes(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = __shfl_down_sync(~0u, a[threadIdx.y * 32 + threadIdx.x], 1);
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void counts(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  atomicAdd(&b[threadIdx.y], tile[threadIdx.x][threadIdx.y]);
}
__global__ void uncertain(const float *a, float *b, int n) {
  __shared__ volatile float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
// Threads walk over rows already; blocks are small; rows have no thread; two
// variables by one name; a macro makes the numbers; another configuration.
__global__ void walks(const float *a, float *b, int n) {
  __shared__ float tile[64][33];
  for (int r = threadIdx.y; r < 64; r += blockDim.y)
    tile[r][threadIdx.x] = a[r * 32 + threadIdx.x];
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void small(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void line(const float *a, float *b, int n) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = tile[1023 - threadIdx.x];
}
__global__ void names(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  int i = threadIdx.y * 32 + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = a[i];
  __syncthreads();
  for (int i = 0; i < 2; ++i)
    b[i] = tile[threadIdx.x][threadIdx.y];
}
#define NUMBER threadIdx.y * 32 + threadIdx.x
__global__ void macro(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = a[NUMBER];
  __syncthreads();
  b[NUMBER] = tile[threadIdx.x][threadIdx.y];
}
__global__ void configured(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
#ifdef SCALED
  tile[threadIdx.y][threadIdx.x] = 2 * a[threadIdx.y * 32 + threadIdx.x];
#else
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
#endif
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
// Launches with blocks of several shapes, or of one that only a run knows.
__global__ void shapes(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void unknown(const float *a, float *b, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  b[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main(int argc, char **argv) {
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  dim3 block(32, 32);
  loops<<<1, block>>>(a, b, 3);
  maybe<<<1, block>>>(a, b, 3);
  carries<<<1, block>>>(a, b, 3);
  adds<<<1, block>>>(a, b, 3);
  sometimes<<<1, block>>>(a, b, 3);
  itself<<<1, block>>>(a, b, 3);
  arrays<<<1, block>>>(a, b, 3);
  parameters<<<1, block>>>(a, b, 3);
  leaves<<<1, block>>>(a, b, 3);
  votes<<<1, block>>>(a, b, 3);
  counts<<<1, block>>>(a, b, 3);
  uncertain<<<1, block>>>(a, b, 3);
  walks<<<1, block>>>(a, b, 3);
  small<<<1, dim3(32, 8)>>>(a, b, 3);
  line<<<1, 1024>>>(a, b, 3);
  names<<<1, block>>>(a, b, 3);
  macro<<<1, block>>>(a, b, 3);
  configured<<<1, block>>>(a, b, 3);
  shapes<<<1, block>>>(a, b, 3);
  shapes<<<1, dim3(32, 16)>>>(a, b, 3);
  unknown<<<1, dim3(32, argc)>>>(a, b, 3);
}
