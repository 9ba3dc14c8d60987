// Original and result run in the emulator over rows and columns that do not
// divide a warp or a block; integers and maxima agree to the bit, sums as far
// as the class allows.
// REQUIRES: emulator
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all --verify=emulator --emulate-args "1 1" -o %t.1.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all --verify=emulator --emulate-args "31 33" -o %t.2.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all --verify=emulator --emulate-args "1023 31" -o %t.3.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply-all --verify=emulator --emulate-args "33 1000" -o %t.4.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply=parallelize-row:softmax{threads=256} --apply=parallelize-row:moments{threads=64} --apply=parallelize-row:matvec{threads=128} --apply=parallelize-row:scale{threads=256} --apply=parallelize-row:extremes{threads=64} --apply=parallelize-row:histogram{threads=128} --verify=emulator --emulate-args "33 1000" -o %t.5.cu -- %runnable_cuda 2>&1 | FileCheck %s
// RUN: cuda-l1-opt %s --rules='-*,parallelize-row' --apply=parallelize-row:softmax{threads=64} --apply=parallelize-row:moments{threads=256} --apply=parallelize-row:matvec{threads=64} --apply=parallelize-row:scale{threads=128} --apply=parallelize-row:extremes{threads=256} --apply=parallelize-row:histogram{threads=64} --verify=emulator --emulate-args "31 1023" -o %t.6.cu -- %runnable_cuda 2>&1 | FileCheck %s
// The threads of a row do not race.
// RUN: %emulate --checks=races %t.2.cu -- 31 33
// RUN: %emulate --checks=races %t.5.cu -- 5 300
// CHECK: verified by emulation
// RUN: FileCheck %s --check-prefix=LANES < %t.2.cu
// LANES-COUNT-6: {{^ *}}const int lane
// RUN: FileCheck %s --check-prefix=THREADS < %t.5.cu
// THREADS-COUNT-6: {{^ *}}const int thread

#include "apply.h"

__global__ void softmax(const float *in, float *out, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float most = in[row * cols];
  for (int c = 1; c < cols; c++)
    most = most < in[row * cols + c] ? in[row * cols + c] : most;
  // What one loop writes, a later one reads.
  float sum = 0.0f;
  for (int c = 0; c < cols; c++) {
    out[row * cols + c] = 1.0f / (1.0f + most - in[row * cols + c]);
    sum += out[row * cols + c];
  }
  for (int c = 0; c < cols; c++)
    out[row * cols + c] /= 1.0f + sum * sum;
}

__global__ void moments(const float *x, float *mean, float *variance, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    mean[row] = 0.0f;
    for (int c = 0; c < cols; c++)
      mean[row] += x[row * cols + c];
    mean[row] /= cols;
    variance[row] = 0.0f;
    for (int c = 0; c < cols; c++)
      variance[row] += (x[row * cols + c] - mean[row]) * (x[row * cols + c] - mean[row]);
    variance[row] /= cols;
  }
}

__global__ void matvec(const double *A, const double *x, double *y, double beta, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    double sum = beta * x[row];
    if (beta > 0)
      for (int k = 0; k < cols; ++k) {
        if (k == row)
          continue;
        sum -= A[row * cols + k] * x[k];
      }
    y[row] = sum;
  }
}

// Rows of uneven length, some of them empty.
__global__ void scale(const int *ends, const float *values, float *out, float *sums, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0.0f;
  for (int k = ends[row]; k < ends[row + 1]; k++)
    sum += values[k];
  sums[row] = sum;
  for (int k = ends[row]; k < ends[row + 1]; k++)
    out[k] = values[k] / (1.0f + sum * sum);
}

template <typename T> __global__ void extremes(const T *a, T *least, T *most, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    T low = a[row * cols], high = low;
    for (int k = 1; k < cols; ++k) {
      T v = a[row * cols + k];
      if (v < low)
        low = v;
      if (v > high)
        high = v;
    }
    least[row] = low;
    if (high != low)
      most[row] = high;
  }
}

__global__ void histogram(const int *a, int *odd, unsigned *bits, long long *total, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    int count = 0;
    unsigned all = 0xffffffffu, any = 0, parity = 1;
    long long sum = row;
    for (int k = 0; k < cols; ++k) {
      int v = a[row * cols + k];
      if (v & 1)
        ++count;
      all &= v;
      any |= v;
      parity = parity ^ v;
      for (int j = 0; j < 3; ++j)
        sum = sum + v * j;
    }
    odd[row] = count;
    bits[row] = all + 3 * any + 7 * parity;
    total[row] = sum;
  }
}

constexpr int Most = 40000;

template <typename T> T *fresh(int seed) {
  static T host[Most];
  for (int i = 0; i < Most; ++i)
    host[i] = T((i * 37 + seed) % 101 - 20) / T(7);
  T *device;
  cudaMalloc(&device, sizeof(host));
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  return device;
}

template <typename T> T *zeros() {
  T *device;
  cudaMalloc(&device, Most * sizeof(T));
  cudaMemset(device, 0, Most * sizeof(T));
  return device;
}

template <typename T> void print(const T *device, int n) {
  static T host[Most];
  cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", (double)host[0], (double)host[n / 2], (double)host[n - 1]);
}

int main(int argc, char **argv) {
  int rows = number(argv[1]), cols = number(argv[2]);
  float *a = fresh<float>(1), *b = zeros<float>(), *c = zeros<float>(), *d = zeros<float>();
  double *x = fresh<double>(2), *y = fresh<double>(3), *z = zeros<double>();
  int *p = fresh<int>(4), *q = zeros<int>(), *r = zeros<int>(), *ends;
  unsigned *bits = zeros<unsigned>();
  long long *total = zeros<long long>();
  static int host[Most];
  for (int i = 0; i < rows; ++i)
    host[i + 1] = host[i] + i * 7 % 13 * (i % 13 < 3 ? 10 : 1);
  cudaMalloc(&ends, sizeof(host));
  cudaMemcpy(ends, host, sizeof(host), cudaMemcpyHostToDevice);
  int threads = 128;
  int blocks = (rows + threads - 1) / threads;
  softmax<<<blocks, threads>>>(a, b, rows, cols);
  print(b, rows * cols);
  moments<<<(rows + 31) / 32, 32>>>(a, c, d, rows, cols);
  print(c, rows);
  print(d, rows);
  matvec<<<(rows + 63) / 64, 64>>>(x, y, z, 0.5, rows, cols);
  print(z, rows);
  scale<<<(rows + 255) / 256, 256>>>(ends, a, b, c, rows);
  print(b, host[rows] + 1);
  extremes<<<(rows + 255) / 256, 256>>>(a, b, c, rows, cols);
  print(b, rows);
  print(c, rows);
  extremes<<<(rows + 255) / 256, 256>>>(p, q, r, rows, cols);
  print(q, rows);
  print(r, rows);
  histogram<<<(rows + 63) / 64, 64>>>(p, q, bits, total, rows, cols);
  print(q, rows);
  print(bits, rows);
  print(total, rows);
  return 0;
}
