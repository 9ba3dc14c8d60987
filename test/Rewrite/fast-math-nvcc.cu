// The output compiles with the real compiler, without a warning.
// REQUIRES: nvcc
// RUN: cuda-l1-opt %s --rules='-*,fast-math' --apply-all --fp-class=approximate --needs-check -o %t.cu
// RUN: %nvcc -std=c++17 -Werror all-warnings -c %t.cu -o %t.o
// RUN: grep -v CHECK %t.cu | FileCheck %s
#include <cmath>

// CHECK-LABEL: void functions(
__global__ void functions(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = in[i], s, c;
  // CHECK: __sincosf(x, &s, &c);
  sincosf(x, &s, &c);
  // CHECK: float a = __expf(x) + __expf(-x) + __exp10f(x);
  float a = exp(x) + std::exp(-x) + exp10f(x);
  // CHECK: float b = __logf(x) + __logf(a) + __log2f(a) + __log10f(a);
  float b = log(x) + std::log(a) + log2(a) + log10f(a);
  // CHECK: float d = __powf(x, a) + __powf(x, b) + __tanf(x);
  float d = pow(x, a) + std::pow(x, b) + tanf(x);
  // CHECK: float e = rsqrtf(a) + b * rsqrtf(a) + __sinf(x) + __cosf(x);
  float e = 1.0f / std::sqrt(a) + b / sqrtf(a) + sin(x) + std::cos(x);
  // CHECK: out[i] = __fdividef(__fdividef(s * c, e), d + 1.0f);
  out[i] = s * c / e / (d + 1.0f);
}

int main() {
  functions<<<1, 32>>>(nullptr, nullptr, 0);
  return 0;
}
