// What is summed up may be any arithmetic of the two elements; the count of
// rows and columns may be a member.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all -- %runnable_cuda > %t.cu
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "1 1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply-all --verify=emulator --emulate-args "33 31 19" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: cuda-l1-opt %s --rules='-*,tile-contraction' --apply=tile-contraction:squares{bm=32,bn=32,bk=32,tm=2,tn=2} --apply=tile-contraction:gaussian{bm=64,bn=64,bk=16,tm=4,tn=4} --verify=emulator --emulate-args "65 130 33" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: %emulate --checks=races %t.3.cu -- 33 35 7
// RIGHT: verified by emulation

#include "apply.h"

// CHECK-LABEL: squares(
// CHECK:           sum[r][c] += (regA[r] - regB[c]) * (regA[r] - regB[c]);
template <typename T>
__global__ void squares(const T *a, const T *b, T *out, int n, int m, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < m) {
    out[i * m + j] = 0;
    for (int d = 0; d < depth; d++)
      out[i * m + j] += (a[i * depth + d] - b[j * depth + d]) * (a[i * depth + d] - b[j * depth + d]);
  }
}

// CHECK-LABEL: gaussian(
// CHECK:           float difference = regA[r] - regB[c];
// CHECK-NEXT:      sum[r][c] += fabsf(difference) / (1.0f + width * difference * difference);
__global__ void gaussian(const float *a, const float *b, float *out, float width, int n, int m, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= m)
    return;
  float sum = 0.0f;
  for (int d = 0; d < depth; d++) {
    float difference = a[i * depth + d] - b[d * m + j];
    sum += fabsf(difference) / (1.0f + width * difference * difference);
  }
  out[i * m + j] = sum;
}

// Values behind pointers that all threads read.
// CHECK-LABEL: scaled(
// CHECK:           sum[r][c] = *beta * out[i * m + j];
// CHECK:           sum[r][c] += alphaValue * regA[r] * regB[c];
__global__ void scaled(const double *alpha, const double *a, const double *b, const double *beta, double *out, int n, int m, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < m) {
    double sum = *beta * out[i * m + j];
    for (int d = 0; d < depth; d++)
      sum += *alpha * a[i * depth + d] * b[d * m + j];
    out[i * m + j] = sum;
  }
}

// alpha is an element of the output.
// CHECK-LABEL: scaledByItself(
// CHECK-NEXT:  int j = blockIdx.x
__global__ void scaledByItself(const float *alpha, const float *a, const float *b, float *out, int n, int m, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < m) {
    float sum = 0.0f;
    for (int d = 0; d < depth; d++)
      sum += *alpha * a[i * depth + d] * b[d * m + j];
    out[i * m + j] = sum;
  }
}

// Three elements.
// CHECK-LABEL: three(
// CHECK-NEXT:  int j = blockIdx.x
__global__ void three(const float *a, const float *b, float *out, int n, int m, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= m)
    return;
  float sum = 0.0f;
  for (int d = 0; d < depth; d++)
    sum += (a[i * depth + d] - b[d * m + j]) * a[d * n + i];
  out[i * m + j] = sum;
}

// What fills up a tile would be divided by.
// CHECK-LABEL: quotients(
// CHECK-NEXT:  int j = blockIdx.x
__global__ void quotients(const int *a, const int *b, int *out, int n, int m, int depth) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= m)
    return;
  int sum = 0;
  for (int d = 0; d < depth; d++)
    sum += a[i * depth + d] / b[d * m + j];
  out[i * m + j] = sum;
}

template <typename T> T *fresh(int count, int seed) {
  T *host = new T[count], *device;
  for (int i = 0; i < count; ++i)
    host[i] = T((i * 37 + seed) % 11 + 1) / 4;
  cudaMalloc(&device, count * sizeof(T));
  cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice);
  delete[] host;
  return device;
}

template <typename T> struct Distances {
  int n, m, depth;
  T *a, *b, *out;
  Distances(int n, int m, int depth)
      : n(n), m(m), depth(depth), a(fresh<T>(n * depth, 1)), b(fresh<T>(m * depth, 2)), out(fresh<T>(n * m, 3)) {}
  void grow() { n = 2 * n; }
  void run() {
    dim3 block(32, 8);
    dim3 grid((m + block.x - 1) / block.x, (n + block.y - 1) / block.y);
    // CHECK: dim3 grid((m + 127) / 128, (n + 127) / 128);
    for (int i = 0; i < 2; i++)
      squares<T><<<grid, block>>>(a, b, out, n, m, depth);
  }
  void print() {
    T *host = new T[n * m];
    cudaMemcpy(host, out, n * m * sizeof(T), cudaMemcpyDeviceToHost);
    printf("%g %g\n", (double)host[0], (double)host[n * m - 1]);
    delete[] host;
  }
};

int main(int argc, char **argv) {
  int n = number(argv[1]), m = number(argv[2]), depth = number(argv[3]);
  Distances<float> single(n, m, depth);
  Distances<double> twice(n, m, depth);
  single.run();
  single.print();
  twice.run();
  twice.print();
  float *a = fresh<float>(n * depth, 4), *b = fresh<float>(m * depth, 5), *out = fresh<float>(n * m, 6);
  int *p = fresh<int>(n * depth, 4), *q = fresh<int>(m * depth, 40), *r = fresh<int>(n * m, 6);
  dim3 block(16, 16), grid((m + 15) / 16, (n + 15) / 16);
  gaussian<<<grid, block>>>(a, b, out, 0.5f, n, m, depth);
  float host;
  cudaMemcpy(&host, out + n * m - 1, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\n", (double)host);
  double *scales = fresh<double>(2, 7), *u = fresh<double>(n * depth, 8), *v = fresh<double>(m * depth, 9), *w = fresh<double>(n * m, 10);
  scaled<<<grid, block>>>(scales, u, v, scales + 1, w, n, m, depth);
  double last;
  cudaMemcpy(&last, w + n * m - 1, sizeof(double), cudaMemcpyDeviceToHost);
  printf("%g\n", last);
  if (depth > 1000) {
    scaledByItself<<<grid, block>>>(out + 1, a, b, out, n, m, depth);
    three<<<grid, block>>>(a, b, out, n, m, depth);
    quotients<<<grid, block>>>(p, q, r, n, m, depth);
  }
}
