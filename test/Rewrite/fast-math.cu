// RUN: cuda-l1-opt %s --rules='-*,fast-math' --apply-all --fp-class=approximate --needs-check -o %t.cu -- %fake_cuda
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: cuda-l1-opt %t.cu --rules='-*,fast-math' --apply-all --fp-class=approximate --needs-check -o %t.again.cu -- %fake_cuda
// RUN: diff %t.cu %t.again.cu

#define EXP(V) expf(V)
#define TWICE(V) ((V) + (V))

// A function of the project's own that has a library function's name.
namespace mine {
__device__ float exp(float v) { return v; }
} // namespace mine

// CHECK: return __logf(v) / 2.0f;
__device__ float helper(float v) { return logf(v) / 2.0f; }
// Host code calls this one, too.
// CHECK: return expf(v);
__host__ __device__ float both(float v) { return expf(v); }

// CHECK-LABEL: void calls(
__global__ void calls(float *out, float x, float y) {
  // CHECK: out[0] = __expf(x) + __expf(-x);
  out[0] = expf(x) + exp(-x);
  // CHECK: out[1] = __logf(__powf(x, y));
  out[1] = log(powf(x, y));
  // CHECK: out[2] = __sinf(x) * __cosf(x) + __tanf(y);
  out[2] = sinf(x) * cosf(x) + tanf(y);
  // CHECK: out[3] = __log2f(x) + __log10f(x);
  out[3] = log2f(x) + log10(x);
  // CHECK: out[4] = EXP(x) + mine::exp(x) + both(x) + helper(x);
  out[4] = EXP(x) + mine::exp(x) + both(x) + helper(x);
  // A small power is better written as a product (strength-reduction).
  // CHECK: out[3] += powf(x, 2.0f) + __powf(2.0f, x);
  out[3] += powf(x, 2.0f) + powf(2.0f, x);
  // CHECK: out[5] = TWICE(expf(x));
  out[5] = TWICE(expf(x));
}

// CHECK-LABEL: void quotients(
__global__ void quotients(float *out, float x, float y, int n) {
  // CHECK: out[0] = __fdividef(x, y);
  out[0] = x / y;
  // CHECK: out[1] = __fdividef(__fdividef(x, y), __fdividef(x + y, x - y));
  out[1] = x / y / ((x + y) / (x - y));
  // CHECK: out[2] = 1.0f + __fdividef(1.0f, 1.0f + out[3]) * 2.0f;
  out[2] = 1.0f + 1.0f / (1.0f + out[3]) * 2.0f;
  // CHECK: out[3] = x / 3.0f;
  out[3] = x / 3.0f;
  // CHECK: x = __fdividef(x, y + 1.0f);
  x /= y + 1.0f;
  // CHECK: out[n++] /= y;
  out[n++] /= y;
  // CHECK: out[4] = __fdividef(x, n);
  out[4] = x / n;
  // CHECK: out[5] = x / /* rows */ y;
  out[5] = x / /* rows */ y;
  // CHECK: out[6] = n / (n - 1);
  out[6] = n / (n - 1);
}

// CHECK-LABEL: void roots(
__global__ void roots(float *out, double *wide, float x, double d) {
  // CHECK: out[0] = rsqrtf(x + 1.0f);
  out[0] = 1.0f / sqrtf(x + 1.0f);
  // CHECK: out[1] = x * rsqrtf(x);
  out[1] = x / sqrt(x);
  // CHECK: wide[0] = rsqrt(d);
  wide[0] = 1.0 / sqrt(d);
  // CHECK: out[2] = 2.0f * (rsqrtf(x));
  out[2] = 2.0f / (sqrtf(x));
  // CHECK: wide[1] = 1.0 / sqrtf(x);
  wide[1] = 1.0 / sqrtf(x);
}

// CHECK-LABEL: void doubles(
__global__ void doubles(double *out, double x) {
  // CHECK: out[0] = exp(x) + pow(x, 3.0) / x;
  out[0] = exp(x) + pow(x, 3.0) / x;
}

// Instantiated with float and with double.
// CHECK-LABEL: void generic(
template <typename T> __global__ void generic(T *out, float x) {
  // CHECK: out[0] = exp(out[1]) / out[2];
  out[0] = exp(out[1]) / out[2];
  // CHECK: out[3] = __expf(x);
  out[3] = expf(x);
}

// CHECK-LABEL: void onlyFloat(
template <typename T> __global__ void onlyFloat(T *out) {
  // CHECK: out[0] = __fdividef(__expf(out[1]), out[2]);
  out[0] = exp(out[1]) / out[2];
}

#ifdef NEVER
// CHECK: void inactive(float *out) { out[0] = expf(out[1]); }
__global__ void inactive(float *out) { out[0] = expf(out[1]); }
#endif

void launch(float *f, double *d) {
  generic<<<1, 1>>>(f, 1.0f);
  generic<<<1, 1>>>(d, 1.0f);
  onlyFloat<<<1, 1>>>(f);
}
