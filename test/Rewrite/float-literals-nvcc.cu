// The output compiles with the real compiler, without a warning.
// REQUIRES: nvcc
// RUN: cuda-l1-opt %s --rules='-*,float-literals' --apply-all --fp-class=reduced-precision -o %t.cu
// RUN: %nvcc -std=c++17 -Werror all-warnings -c %t.cu -o %t.o
// RUN: grep -v CHECK %t.cu | FileCheck %s
#include <cmath>

#define EPS 1e-5

// CHECK-LABEL: void activation(
template <typename T> __global__ void activation(T *out, const T *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  T x = in[i];
  // CHECK: T cube = powf(x, 3);
  T cube = std::pow(x, 3);
  // CHECK: T t = 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * cube)));
  T t = 0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * cube)));
  // CHECK: out[i] = fmaxf(t, 0.0f) / sqrtf(x * x + (float)EPS) + (float)M_PI;
  out[i] = fmax(t, 0.0) / std::sqrt(x * x + EPS) + M_PI;
}

int main() {
  activation<<<1, 32>>>((float *)nullptr, (const float *)nullptr, 0);
  return 0;
}
