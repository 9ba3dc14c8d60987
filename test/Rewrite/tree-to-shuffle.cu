// RUN: cuda-l1-opt %s --rules='-*,tree-to-shuffle' --apply-all --fp-class=reassociate -- %fake_cuda > %t.cu
// RUN: grep -v CHECK %t.cu | FileCheck %s
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,tree-to-shuffle' --apply-all --fp-class=reassociate -- %fake_cuda | diff %t.cu -
// A tree whose distance doubles adds in the order of the shuffles.
// RUN: cuda-l1-opt %s --rules='-*,tree-to-shuffle' --list-sites -- %fake_cuda | FileCheck %s --check-prefix=EXACT

#define BLOCK_SIZE 256

// EXACT: tree-to-shuffle:doubling [exact]
// EXACT: tree-to-shuffle:halving [reassociate]
__global__ void doubling(const float *in, float *out, int n) {
  __shared__ float partial[BLOCK_SIZE];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  partial[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();

  for (int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0)
      partial[tid] += partial[tid + s];
    __syncthreads();
  }

  if (tid == 0)
    out[blockIdx.x] = partial[0];
}
// CHECK-LABEL: void doubling
// CHECK-NEXT:   __shared__ float partial[BLOCK_SIZE / 32];
// CHECK:        float sum = i < n ? in[i] : 0.0f;
// CHECK-EMPTY:
// CHECK-NEXT:   // First among the lanes of each warp, then among the warps.
// CHECK-NEXT:   for (int offset = 1; offset < 32; offset *= 2)
// CHECK-NEXT:     sum += __shfl_xor_sync(0xffffffff, sum, offset);
// CHECK-NEXT:   if (tid % 32 == 0)
// CHECK-NEXT:     partial[tid / 32] = sum;
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   sum = partial[tid % (BLOCK_SIZE / 32)];
// CHECK-NEXT:   for (int offset = 1; offset < BLOCK_SIZE / 32; offset *= 2)
// CHECK-NEXT:     sum += __shfl_xor_sync(0xffffffff, sum, offset);
// CHECK-EMPTY:
// CHECK-NEXT:   if (tid == 0)
// CHECK-NEXT:     out[blockIdx.x] = sum;

// Half of the distance each time; the array is as large as the launch says.
__global__ void halving(const float *in, float *out, int n) {
  extern __shared__ float cache[];
  float temp = 0.0f;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    temp += in[i];
  cache[threadIdx.x] = temp;
  __syncthreads();
  int s = blockDim.x / 2;
  while (s != 0) {
    if (threadIdx.x < s)
      cache[threadIdx.x] = cache[threadIdx.x] + cache[threadIdx.x + s];
    __syncthreads();
    s /= 2;
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = cache[0];
}
// CHECK-LABEL: void halving
// CHECK-NEXT:   extern __shared__ float cache[];
// CHECK:        float sum = temp;
// CHECK-NEXT:   // First among
// CHECK-NEXT:   for (int offset = 16; offset > 0; offset /= 2)
// CHECK-NEXT:     sum += __shfl_xor_sync(0xffffffff, sum, offset);
// CHECK-NEXT:   if (threadIdx.x % 32 == 0)
// CHECK-NEXT:     cache[threadIdx.x / 32] = sum;
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   sum = cache[threadIdx.x % (blockDim.x / 32)];
// CHECK-NEXT:   for (int offset = blockDim.x / 64; offset > 0; offset /= 2)
// CHECK-NEXT:     sum += __shfl_xor_sync(0xffffffff, sum, offset);
// CHECK-NEXT:   if (threadIdx.x == 0)
// CHECK-NEXT:     out[blockIdx.x] = sum;

// An index of its own, elements set in parts, a barrier that serves more.
__global__ void strided(float *x, float *y, float *partial, int n) {
  __shared__ float sums[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = 0.0f;
  if (i < n)
    sums[threadIdx.x] = x[i] * y[i];
  y[i] = 1.0f;
  __syncthreads();
  for (unsigned s = 1; s < 128; s <<= 1) {
    int at = 2 * s * threadIdx.x;
    if (at < blockDim.x)
      sums[at] += sums[at + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sums[0];
}
// CHECK-LABEL: void strided
// CHECK-NEXT:   __shared__ float sums[4];
// CHECK:        float sum = 0.0f;
// CHECK-NEXT:   if (i < n)
// CHECK-NEXT:     sum = x[i] * y[i];
// CHECK-NEXT:   y[i] = 1.0f;
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   // First among
// CHECK-NEXT:   for (int offset = 1; offset < 32; offset *= 2)
// CHECK:        if (threadIdx.x % 32 == 0)
// CHECK-NEXT:     sums[threadIdx.x / 32] = sum;
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   sum = sums[threadIdx.x % 4];
// CHECK-NEXT:   for (int offset = 1; offset < 4; offset *= 2)

// Two trees over one array, rows in a loop, and all threads use what they find.
__global__ void softmax(const float *in, float *out, int rows, int cols) {
  __shared__ float shared[BLOCK_SIZE];
  int t = threadIdx.x;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    shared[t] = -1e30f;
    for (int c = t; c < cols; c += BLOCK_SIZE)
      shared[t] = fmaxf(shared[t], in[row * cols + c]);
    __syncthreads();
    for (int s = BLOCK_SIZE / 2; s > 0; s >>= 1) {
      if (t < s)
        shared[t] = fmaxf(shared[t], shared[t + s]);
      __syncthreads();
    }
    float most = shared[0];
    __syncthreads();
    shared[t] = 0.0f;
    for (int c = t; c < cols; c += BLOCK_SIZE)
      shared[t] += expf(in[row * cols + c] - most);
    __syncthreads();
    for (int s = BLOCK_SIZE / 2; s > 0; s >>= 1) {
      if (t < s)
        shared[t] += shared[t + s];
      __syncthreads();
    }
    for (int c = t; c < cols; c += BLOCK_SIZE)
      out[row * cols + c] = expf(in[row * cols + c] - most) / shared[0];
    __syncthreads();
  }
}
// CHECK-LABEL: void softmax
// CHECK-NEXT:   __shared__ float shared[BLOCK_SIZE / 32];
// CHECK:          float greatest = -1e30f;
// CHECK-NEXT:     for (int c = t; c < cols; c += BLOCK_SIZE)
// CHECK-NEXT:       greatest = fmaxf(greatest, in[row * cols + c]);
// CHECK-NEXT:     __syncthreads();
// CHECK-NEXT:     // First among
// CHECK-NEXT:     for (int offset = 16; offset > 0; offset /= 2)
// CHECK-NEXT:       greatest = fmaxf(greatest, __shfl_xor_sync(0xffffffff, greatest, offset));
// CHECK-NEXT:     if (t % 32 == 0)
// CHECK-NEXT:       shared[t / 32] = greatest;
// CHECK-NEXT:     __syncthreads();
// CHECK-NEXT:     greatest = shared[t % (BLOCK_SIZE / 32)];
// CHECK-NEXT:     for (int offset = BLOCK_SIZE / 64; offset > 0; offset /= 2)
// CHECK-NEXT:       greatest = fmaxf(greatest, __shfl_xor_sync(0xffffffff, greatest, offset));
// CHECK-NEXT:     float most = greatest;
// CHECK-NEXT:     __syncthreads();
// CHECK-NEXT:     float sum = 0.0f;
// CHECK-NEXT:     for (int c = t; c < cols; c += BLOCK_SIZE)
// CHECK-NEXT:       sum += expf(in[row * cols + c] - most);
// CHECK-NEXT:     __syncthreads();
// CHECK-NEXT:     // First among
// CHECK:            out[row * cols + c] = expf(in[row * cols + c] - most) / sum;

// Two arrays in one loop, a barrier at its head, a thread that reads its own.
template <typename T, int Threads> __global__ void extremes(const T *in, T *least, T *most) {
  __shared__ T low[Threads], high[Threads];
  const unsigned int tid = threadIdx.x;
  low[tid] = in[blockIdx.x * Threads + tid];
  high[tid] = in[blockIdx.x * Threads + tid];
  for (unsigned int s = Threads / 2; s > 0; s = s / 2) {
    __syncthreads();
    if (tid < s) {
      if (low[tid + s] < low[tid])
        low[tid] = low[tid + s];
      high[tid] = high[tid] < high[tid + s] ? high[tid + s] : high[tid];
    }
  }
  if (tid == 0) {
    least[blockIdx.x] = low[0];
    most[blockIdx.x] = high[tid];
  }
}
// CHECK-LABEL: void extremes
// CHECK-NEXT:   __shared__ T low[Threads / 32], high[Threads / 32];
// CHECK:        T least2 = in[blockIdx.x * Threads + tid];
// CHECK-NEXT:   T greatest = in[blockIdx.x * Threads + tid];
// CHECK-NEXT:   // First among
// CHECK-NEXT:   for (int offset = 16; offset > 0; offset /= 2) {
// CHECK-NEXT:     least2 = min(least2, __shfl_xor_sync(0xffffffff, least2, offset));
// CHECK-NEXT:     greatest = max(greatest, __shfl_xor_sync(0xffffffff, greatest, offset));
// CHECK-NEXT:   }
// CHECK-NEXT:   if (tid % 32 == 0) {
// CHECK-NEXT:     low[tid / 32] = least2;
// CHECK-NEXT:     high[tid / 32] = greatest;
// CHECK-NEXT:   }
// CHECK-NEXT:   __syncthreads();
// CHECK-NEXT:   least2 = low[tid % (Threads / 32)];
// CHECK-NEXT:   greatest = high[tid % (Threads / 32)];
// CHECK-NEXT:   for (int offset = Threads / 64; offset > 0; offset /= 2) {
// CHECK:        if (tid == 0) {
// CHECK-NEXT:     least[blockIdx.x] = least2;
// CHECK-NEXT:     most[blockIdx.x] = greatest;

int main() {
  float *x, *y, *z;
  int *p, *q, *r, n = 1000;
  unsigned *u, *v, *w;
  cudaMalloc(&x, 4000);
  cudaMalloc(&y, 4000);
  cudaMalloc(&z, 4000);
  cudaMalloc(&p, 4000);
  cudaMalloc(&q, 4000);
  cudaMalloc(&r, 4000);
  cudaMalloc(&u, 4000);
  cudaMalloc(&v, 4000);
  cudaMalloc(&w, 4000);
  int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  doubling<<<blocks, BLOCK_SIZE>>>(x, y, n);
  doubling<<<1, BLOCK_SIZE>>>(y, z, blocks);
  halving<<<10, 128, 128 * sizeof(float)>>>(x, y, n);
  strided<<<n / 128, 128>>>(x, y, z, n);
  softmax<<<100, BLOCK_SIZE>>>(x, y, 100, 10);
  extremes<int, 128><<<4, 128>>>(p, q, r);
  extremes<unsigned, 64><<<4, 64>>>(u, v, w);
  return 0;
}
