// The output compiles with the real compiler, without a warning.
// REQUIRES: nvcc
// RUN: cuda-l1-opt %s --rules='-*,strength-reduction' --apply-all --fp-class=approximate --needs-check -o %t.cu
// RUN: %nvcc -std=c++17 -Werror all-warnings -c %t.cu -o %t.o
// RUN: grep -v CHECK %t.cu | FileCheck %s
#include <cmath>

// CHECK-LABEL: void powers(
template <typename T> __global__ void powers(T *out, const T *in, int n, int cols) {
  T x = in[threadIdx.x];
  // CHECK: T square = x * x;
  T square = std::pow(x, 2);
  // CHECK: T cube = x * x * x;
  T cube = pow(x, T(3));
  // CHECK: double wide = (double)x * x;
  double wide = pow(x, 2.0);
  // CHECK: T root = sqrtf(square + cube) + rsqrtf(x);
  T root = std::pow(square + cube, T(0.5)) + powf(x, -0.5f);
  // CHECK: int iQuotient = (int)threadIdx.x / cols, iRemainder = (int)threadIdx.x % cols;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    // CHECK: out[iQuotient + iRemainder * 7] = (root + wide) * (1.0 / 3.0);
    out[i / cols + i % cols * 7] = (root + wide) / 3.0;
  }
}

int main() {
  powers<<<1, 32>>>((float *)nullptr, (const float *)nullptr, 0, 1);
  return 0;
}
