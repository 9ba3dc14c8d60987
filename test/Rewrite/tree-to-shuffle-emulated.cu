// Original and result run in the emulator: sums whose distance doubles and
// whole numbers agree to the bit, other sums as far as the class allows.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,tree-to-shuffle' --apply-all --fp-class=exact --verify=emulator --emulate-args "1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tree-to-shuffle' --apply-all --fp-class=exact --verify=emulator --emulate-args "1023" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=EXACT < %t.2.cu
// EXACT-COUNT-4: {{^ +}}// First among the lanes
// EXACT-NOT: {{^ +}}// First among the lanes
// RUN: cuda-l1-opt %s --rules='-*,tree-to-shuffle' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "1" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tree-to-shuffle' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "31" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tree-to-shuffle' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "33" -o %t.5.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tree-to-shuffle' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "1000" -o %t.6.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tree-to-shuffle' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "1023" -o %t.7.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// The warps do not race.
// RUN: %emulate --checks=races %t.6.cu -- 1000
// RUN: FileCheck %s --check-prefix=SHUFFLED < %t.6.cu
// SHUFFLED-COUNT-8: {{^ +}}// First among the lanes

#include "apply.h"

#define BLOCK_SIZE 256

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

__global__ void strided(const float *x, float *out, int n) {
  __shared__ float sums[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = 0.0f;
  if (i < n)
    sums[threadIdx.x] = x[i] * x[i];
  __syncthreads();
  for (unsigned s = 1; s < blockDim.x; s <<= 1) {
    unsigned at = 2 * s * threadIdx.x;
    if (at < blockDim.x)
      sums[at] = sums[at + s] + sums[at];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = sums[0];
}

__global__ void halving(const double *in, double *out, int n) {
  extern __shared__ double cache[];
  double temp = 0.0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    temp += in[i];
  cache[threadIdx.x] = temp;
  __syncthreads();
  int s = blockDim.x / 2;
  while (s != 0) {
    if (threadIdx.x < s)
      cache[threadIdx.x] += cache[threadIdx.x + s];
    __syncthreads();
    s >>= 1;
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = cache[0];
}

// Two trees over one array, rows in a loop, and all threads use what they find.
__global__ void rows(const float *in, float *out, int rows, int cols) {
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
      shared[t] += in[row * cols + c] - most;
    __syncthreads();
    for (int s = BLOCK_SIZE / 2; s > 0; s >>= 1) {
      if (t < s)
        shared[t] += shared[t + s];
      __syncthreads();
    }
    for (int c = t; c < cols; c += BLOCK_SIZE)
      out[row * cols + c] = (in[row * cols + c] - most) / shared[0];
    __syncthreads();
  }
}

template <typename T, int Threads> __global__ void extremes(const T *in, T *out, int n) {
  __shared__ T low[Threads], high[Threads];
  const unsigned int tid = threadIdx.x;
  unsigned i = blockIdx.x * Threads + tid;
  low[tid] = i < n ? in[i] : 1000;
  high[tid] = i < n ? in[i] : -1000;
  for (unsigned int s = Threads / 2; s > 0; s = s / 2) {
    __syncthreads();
    if (tid < s) {
      if (low[tid + s] < low[tid])
        low[tid] = low[tid + s];
      high[tid] = high[tid] < high[tid + s] ? high[tid + s] : high[tid];
    }
  }
  if (tid == 0) {
    out[2 * blockIdx.x] = low[0];
    out[2 * blockIdx.x + 1] = high[tid];
  }
}

// What is a number of bits, and a result for another kernel's atomics.
__global__ void bits(const int *in, unsigned *out, int *total, int n) {
  __shared__ unsigned parity[64];
  __shared__ int count[64];
  int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  if (i < n) {
    parity[tid] = in[i];
    count[tid] = in[i] & 1;
  } else {
    parity[tid] = 0;
    count[tid] = 0;
  }
  __syncthreads();
  for (int s = blockDim.x >> 1; s >= 1; s /= 2) {
    if (tid < s) {
      parity[tid] ^= parity[tid + s];
      count[tid] += count[tid + s];
    }
    __syncthreads();
  }
  if (!tid) {
    out[blockIdx.x] = parity[0];
    atomicAdd(total, count[0]);
  }
}

// The first threads of the block need no division.
__global__ void masked(const int *in, int *out, int n) {
  __shared__ int sums[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  sums[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = 1; s < 128; s += s) {
    if ((t & (2 * s - 1)) == 0 && t + s < blockDim.x)
      sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t < 1)
    out[blockIdx.x] = sums[0];
}

constexpr int Most = 4096;

template <typename T> T *fresh(int seed) {
  static T host[Most];
  for (int i = 0; i < Most; ++i)
    host[i] = T((i * 37 + seed) % 101 - 20) / T(7);
  T *device;
  cudaMalloc(&device, sizeof(host));
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  return device;
}

template <typename T> void print(const T *device, int n) {
  static T host[Most];
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0, weighted = 0;
  for (int i = 0; i < n; ++i) {
    sum += (double)host[i];
    weighted += (double)host[i] * (1 + i % 7);
  }
  printf("%.9g %.9g\n", sum, weighted);
}

int main(int argc, char **argv) {
  int n = number(argv[1]);
  float *a = fresh<float>(1), *b = fresh<float>(2);
  double *x = fresh<double>(3), *y = fresh<double>(4);
  int *p = fresh<int>(5), *q = fresh<int>(6), *r = fresh<int>(7);
  unsigned *bit = fresh<unsigned>(8);
  long long *l = fresh<long long>(9), *m = fresh<long long>(10);
  int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  doubling<<<blocks, BLOCK_SIZE>>>(a, b, n);
  print(b, blocks);
  doubling<<<1, BLOCK_SIZE>>>(b, a, blocks);
  print(a, 6);
  strided<<<(n + 1023) / 1024, 1024>>>(a, b, n);
  print(b, 1);
  halving<<<3, 128, 128 * sizeof(double)>>>(x, y, n);
  print(y, 3);
  rows<<<2, BLOCK_SIZE>>>(a, b, 3, n);
  print(b, 3 * n);
  extremes<int, 128><<<(n + 127) / 128, 128>>>(p, q, n);
  print(q, 2 * ((n + 127) / 128));
  extremes<long long, 64><<<(n + 63) / 64, 64>>>(l, m, n);
  print(m, 2 * ((n + 63) / 64));
  bits<<<(n + 63) / 64, 64>>>(p, bit, r, n);
  print(bit, (n + 63) / 64);
  print(r, 1);
  masked<<<(n + 127) / 128, 128>>>(p, q, n);
  print(q, (n + 127) / 128);
  return 0;
}
