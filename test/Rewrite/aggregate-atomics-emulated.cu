// Original and result run in the emulator over sizes that do not divide what a
// block handles, with more bins than are kept close by, with none, and with
// indices that are negative.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "31 256" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "33 1500" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "1000 2000" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --apply-all --fp-class=reassociate --verify=emulator --emulate-args "1023 7" -o %t.5.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --apply=aggregate-atomics:histogram{items=1,copies=4,ahead=1} --apply=aggregate-atomics:letters{items=4,copies=4,ahead=4} --apply=aggregate-atomics:extremes{items=1,copies=4,ahead=1} --apply=aggregate-atomics:image{items=64,copies=4,ahead=8} --apply=aggregate-atomics:strided{items=4,copies=4} --apply=aggregate-atomics:points{items=1} --fp-class=reassociate --verify=emulator --emulate-args "1023 1500" -o %t.6.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,aggregate-atomics' --apply=aggregate-atomics:histogram{items=64,copies=1,ahead=8} --apply=aggregate-atomics:letters{items=1,copies=1,ahead=1} --apply=aggregate-atomics:extremes{items=16,copies=4,ahead=8} --apply=aggregate-atomics:image{items=1,copies=1,ahead=1} --apply=aggregate-atomics:strided{items=16,copies=1} --apply=aggregate-atomics:points{items=16} --fp-class=reassociate --verify=emulator --emulate-args "1000 300" -o %t.7.cu -- %runnable_cuda 2>&1 | FileCheck %s
// CHECK: verified by emulation
// The threads of a block do not race.
// RUN: %emulate --checks=races %t.3.cu -- 33 1500
// RUN: %emulate --checks=races %t.6.cu -- 300 1500
// RUN: FileCheck %s --check-prefix=GATHERED < %t.2.cu
// RUN: FileCheck %s --check-prefix=SIX < %t.6.cu
// RUN: FileCheck %s --check-prefix=SIX < %t.7.cu
// GATHERED-COUNT-7: is gathered here first
// SIX-COUNT-6: is gathered here first

#include "apply.h"

struct Letters {
  unsigned all, spaces, letters[26];
};

// As many bins as the launch says, and indices with a sign.
__global__ void histogram(const unsigned *values, unsigned *bins, int *signedBins, int count, unsigned numBins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    atomicAdd(&bins[values[i] % numBins], 1u);
    int v = (int)values[i] - 500;
    atomicAdd(&signedBins[v % 100], v);
  }
}

__global__ void letters(const char *text, int length, Letters *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length)
    return;
  atomicAdd(&counts->all, 1u);
  if (text[i] == ' ')
    atomicSub(&counts->spaces, 1u);
  else if (text[i] >= 'a' && text[i] <= 'z')
    atomicAdd(&counts->letters[text[i] - 'a'], 3u);
}

// Where nothing is written, what was there stays.
__global__ void extremes(const unsigned *values, int *most, int *least, unsigned *all, unsigned *odd, int count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  int v = (int)values[i];
  if (v % 3) {
    atomicMax(&most[v & 15], v);
    atomicMin(least, v);
  }
  atomicAnd(all, values[i] | 1024);
  atomicXor(&odd[v % 7 * 2], values[i]);
}

// Rows of blocks that are no whole warps.
__global__ void image(const unsigned *pixels, float *bins, unsigned *dark, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    unsigned v = pixels[y * width + x];
    atomicAdd(&bins[v & 31], 0.25f);
    if (v < 8)
      atomicAdd(dark, 1u);
  }
}

__global__ void strided(const unsigned *values, unsigned *bins, unsigned long long *sum, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
    if (values[i] == 3)
      continue;
    atomicAdd(&bins[values[i] & 127], 1u);
    atomicAdd(sum, (unsigned long long)values[i] << 20);
  }
}

__device__ unsigned next(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

__global__ void points(unsigned *inside, int threads) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads)
    return;
  unsigned state = 7919u * t + 12345u;
  for (int p = 0; p < 5; p++) {
    float x = next(&state) / 16777216.0f, y = next(&state) / 16777216.0f;
    if (x * x + y * y < 1.0f)
      atomicAdd(inside, 1u);
  }
}

__device__ int total;

// Each block may add somewhere else; a variable of the device is one place.
template <int Kinds> __global__ void kinds(const unsigned *values, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && values[i] % Kinds == 1)
    atomicAdd(&total, Kinds);
}

__global__ void tell(int *out) { *out = total; }

constexpr int Most = 4096;

template <typename T> T *zeros() {
  T *device;
  cudaMalloc(&device, Most * sizeof(T));
  cudaMemset(device, 0, Most * sizeof(T));
  return device;
}

template <typename T> void print(const T *device, int n) {
  static T host[Most];
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0, weighted = 0;
  for (int i = 0; i < n; ++i) {
    sum += (double)host[i];
    weighted += (double)host[i] * (i + 1);
  }
  printf("%.17g %.17g\n", sum, weighted);
}

int main(int argc, char **argv) {
  int count = number(argv[1]);
  unsigned bins = (unsigned)number(argv[2]);
  static unsigned host[Most];
  static char text[Most];
  for (int i = 0; i < Most; ++i) {
    host[i] = i % 3 ? unsigned(i * 37 % 1999) : unsigned(i % 16);
    text[i] = i % 5 ? 'a' + i * i % 26 : ' ';
  }
  unsigned *values;
  char *dText;
  Letters *counts;
  cudaMalloc(&values, sizeof(host));
  cudaMalloc(&dText, sizeof(text));
  cudaMalloc((void **)&counts, Most * sizeof(unsigned));
  cudaMemcpy(values, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(dText, text, sizeof(text), cudaMemcpyHostToDevice);
  cudaMemset(counts, 0, Most * sizeof(unsigned));
  unsigned *a = zeros<unsigned>(), *b = zeros<unsigned>(), *c = zeros<unsigned>(), *d = zeros<unsigned>();
  int *p = zeros<int>(), *q = zeros<int>(), *r = zeros<int>();
  float *x = zeros<float>();
  unsigned long long *sum = zeros<unsigned long long>();
  int blocks = (count + 63) / 64;
  histogram<<<blocks, 64>>>(values, a, p + 200, count, bins);
  print(a, Most);
  print(p, 400);
  letters<<<(count + 95) / 96, 96>>>(dText, count, counts);
  print((unsigned *)counts, 28);
  extremes<<<(count + 127) / 128, 128>>>(values, q, r, b, c, count);
  print(q, 16);
  print(r, 1);
  print(b, 1);
  print(c, 16);
  dim3 block(8, 5), grid((31 + 7) / 8, (count / 31 + 4) / 5);
  if (count / 31 > 0)
    image<<<grid, block>>>(values, x, d, 31, count / 31);
  print(x, 32);
  print(d, 1);
  strided<<<13, 32>>>(values, a, sum, count);
  print(a, Most);
  print(sum, 1);
  points<<<(count + 31) / 32, 32>>>(d, count);
  print(d, 1);
  kinds<3><<<blocks, 64>>>(values, count);
  kinds<4><<<blocks, 64>>>(values, count);
  tell<<<1, 1>>>(q);
  print(q, 1);
  return 0;
}
