// What hoist-invariant, pad-shared and vectorize-access write compiles with the
// real compiler, without a warning.
// REQUIRES: nvcc
// RUN: cuda-l1-opt %s --rules='-*,hoist-invariant,pad-shared,vectorize-access' --apply-all -o %t.cu
// RUN: %nvcc -std=c++17 -Werror all-warnings -c %t.cu -o %t.o
// RUN: FileCheck %s --match-full-lines --strict-whitespace < %t.cu
#include <cuda_runtime.h>

constexpr int Tile = 32;

__global__ void transpose(const float *in, float *out, int n) {
  __shared__ float tile[Tile][Tile];
  int x = blockIdx.x * Tile + threadIdx.x;
  int y = blockIdx.y * Tile + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
//      CHECK:  __shared__ float tile[Tile][Tile + 1];

template <class T>
__global__ void scale(const T *in, T *out, T by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < n; k++)
    out[k * n + i] = in[k] / sqrt(by);
}
//      CHECK:  const auto sqrtBy = sqrt(by);
// CHECK-NEXT:  for (int k = 0; k < n; k++)
// CHECK-NEXT:    out[k * n + i] = in[k] / sqrtBy;

__global__ void swapChannels(const unsigned char *in, unsigned char *out,
                             int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned char r = in[4 * i], g = in[4 * i + 1];
  unsigned char b = in[4 * i + 2], a = in[4 * i + 3];
  out[4 * i] = b;
  out[4 * i + 1] = g;
  out[4 * i + 2] = r;
  out[4 * i + 3] = a;
}
//      CHECK:  const uchar4 in4 = *reinterpret_cast<const uchar4 *>(&in[4 * i]);
// CHECK-NEXT:  unsigned char r = in4.x, g = in4.y;
// CHECK-NEXT:  unsigned char b = in4.z, a = in4.w;
// CHECK-NEXT:  *reinterpret_cast<uchar4 *>(&out[4 * i]) = make_uchar4(b, g, r, a);

int main() {
  const int n = 1024;
  float *in, *out;
  double *wideIn, *wideOut;
  unsigned char *from, *to;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  cudaMalloc(&wideIn, n * n * sizeof(double));
  cudaMalloc(&wideOut, n * n * sizeof(double));
  cudaMalloc(&from, 4 * n);
  cudaMalloc(&to, 4 * n);
  transpose<<<dim3(n / Tile, n / Tile), dim3(Tile, Tile)>>>(in, out, n);
  scale<<<n / 256, 256>>>(in, out, 2.0f, n);
  scale<<<n / 256, 256>>>(wideIn, wideOut, 2.0, n);
  swapChannels<<<n / 256, 256>>>(from, to, n);
  return 0;
}
