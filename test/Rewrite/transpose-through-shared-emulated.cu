// Original and result run in the emulator over sizes that do not divide the
// tiles, and agree to the bit.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --apply-all --verify=emulator --emulate-args "31 33" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --apply-all --verify=emulator --emulate-args "1000 33" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --apply-all --verify=emulator --emulate-args "1 1023" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --apply=transpose-through-shared:plain{tile=64,rows=16} --apply=transpose-through-shared:gather{tile=64,rows=8} --apply=transpose-through-shared:scaled{tile=32,rows=4} --apply=transpose-through-shared:both{tile=32,rows=16} --verify=emulator --emulate-args "33 65" -o %t.5.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --apply=transpose-through-shared:plain{tile=64,rows=16,columns=32} --apply=transpose-through-shared:gather{tile=64,rows=16,columns=32} --apply=transpose-through-shared:scaled{tile=64,rows=16,columns=32} --apply=transpose-through-shared:inner{tile=64,rows=16,columns=32} --verify=emulator --emulate-args "33 65" -o %t.6.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --apply=transpose-through-shared:plain{tile=64,rows=16,columns=32} --apply=transpose-through-shared:gather{tile=64,rows=16,columns=32} --apply=transpose-through-shared:scaled{tile=64,rows=16,columns=32} --verify=emulator --emulate-args "1000 31" -o %t.7.cu -- %runnable_cuda 2>&1 | FileCheck %s
// The threads of a tile do not race.
// RUN: %emulate --checks=races %t.2.cu -- 31 33
// RUN: %emulate --checks=races %t.5.cu -- 65 31
// RUN: %emulate --checks=races %t.6.cu -- 65 31
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=TILES < %t.2.cu
// TILES-COUNT-6: {{^ *}}__shared__

#include "apply.h"

__global__ void plain(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[x * height + y] = in[y * width + x];
}

template <typename T>
__global__ void scaled(const T *in, T *out, T scale, int rows, int cols) {
  int col = blockIdx.x * 16 + threadIdx.x;
  int row = blockIdx.y * 16 + threadIdx.y;
  if (row >= rows || col >= cols)
    return;
  size_t src = (size_t)row * cols + col, dst = (size_t)col * rows + row;
  T v = in[src];
  if (v > T(0))
    v *= scale;
  out[dst] = v + T(row);
}

// Strided loads, one of them under a condition; its own element is updated.
__global__ void gather(const float *a, float *b, const float *bias, int w, int h) {
  unsigned i = threadIdx.y + blockIdx.y * blockDim.y, j = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < h)
    if (j < w)
      b[i * w + j] += bias[j] > 0 ? a[j * h + i] * bias[i] : bias[j];
}

// Two loads, one of them twice.
__global__ void both(const float *a, const float *b, float *c, float *d, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int half = w / 2;
  if (x < w && y < h) {
    float s = a[y * w + x] * 2.0f + __ldg(&b[y * w + x]);
    if (a[y * w + x] < 0.0f)
      s = half;
    c[x * h + y] = s;
    d[x * h + y] = a[y * w + x];
  }
}

// The last rows and columns stay as they are.
__global__ void inner(const unsigned char *in, short *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w - 1 && x < w && y <= h - 3 && y < h)
    out[(blockIdx.z * w + x) * h + y] = in[(blockIdx.z * h + y) * w + x];
}

constexpr int Most = 80000;

template <typename T> T *fresh(int seed) {
  static T host[Most];
  for (int i = 0; i < Most; ++i)
    host[i] = T((i * 37 + seed) % 101 - 50) / T(7);
  T *device;
  cudaMalloc(&device, sizeof(host));
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  return device;
}

template <typename T> void print(const T *device, int n) {
  static T host[Most];
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  unsigned long long hash = 0;
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(host);
  for (size_t i = 0; i < sizeof(host); ++i)
    hash = hash * 31 + bytes[i];
  printf("%g %g %llu\n", (double)host[0], (double)host[n - 1], hash % 1000003);
}

int main(int argc, char **argv) {
  int w = number(argv[1]), h = number(argv[2]);
  float *a = fresh<float>(1), *b = fresh<float>(2), *c = fresh<float>(3), *d = fresh<float>(4);
  double *x = fresh<double>(5), *y = fresh<double>(6);
  unsigned char *u = fresh<unsigned char>(7);
  short *s = fresh<short>(8);
  dim3 block(32, 8);
  dim3 grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
  plain<<<grid, block>>>(a, b, w, h);
  print(b, w * h);
  scaled<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, b, 3.0f, h, w);
  print(b, w * h);
  scaled<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(x, y, 3.0, h, w);
  print(y, w * h);
  gather<<<dim3(w / 8 + 1, h / 8 + 1), dim3(8, 8)>>>(a, b, c, w, h);
  print(b, w * h);
  both<<<grid, block>>>(a, b, c, d, w, h);
  print(c, w * h);
  print(d, w * h);
  inner<<<dim3((w + 31) / 32, (h + 3) / 4, 2), dim3(32, 4)>>>(u, s, w, h);
  print(s, w * h * 2);
  return 0;
}
