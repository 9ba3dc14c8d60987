// RUN: cuda-l1-opt %s --rules='-*,strength-reduction' --apply-all --fp-class=approximate --needs-check -o %t.cu -- %fake_cuda
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: cuda-l1-opt %t.cu --rules='-*,strength-reduction' --apply-all --fp-class=approximate --needs-check -o %t.again.cu -- %fake_cuda
// RUN: diff %t.cu %t.again.cu

#define POW2(V) powf(V, 2.0f)
#define TWO 2.0f

__device__ float next(float v);

// CHECK: return v * v;
__device__ float square(float v) { return powf(v, 2.0f); }

// CHECK-LABEL: void powers(
__global__ void powers(float *out, double *wide, float x, float y, double d, int n) {
  // CHECK: out[0] = x * x + y * y;
  out[0] = powf(x, 2.0f) + pow(y, TWO);
  // CHECK: out[1] = (x - y) * (x - y) * (x - y);
  out[1] = powf(x - y, 3.0f);
  // CHECK: out[2] = y * (x * x) - x * x / y;
  out[2] = y * powf(x, 2.f) - powf(x, 2.f) / y;
  // CHECK: out[3] = -(x * x);
  out[3] = -powf(x, 2.f);
  // CHECK: out[4] = out[n + 1] * out[n + 1] * (out[n + 1] * out[n + 1]);
  out[4] = powf(out[n + 1], 4);
  // CHECK: out[5] = 1.0f / x + powf(y, -2.0f);
  out[5] = powf(x, -1.0f) + powf(y, -2.0f);
  // nvcc computes pow(float, int) in double.
  // CHECK: out[6] = x * x;
  out[6] = pow(x, 2);
  // CHECK: wide[0] = (double)x * x;
  wide[0] = pow(x, 2);
  // CHECK: wide[1] = d * d + (double)n * n + (double)x * x;
  wide[1] = pow(d, 2.0) + pow(n, 2.0) + pow(x, 2.0);
  // CHECK: auto deduced = (double)y * y;
  auto deduced = pow(y, 2);
  // CHECK: out[7] = powf(next(x), 2.0f) + powf(out[n++], 2.0f);
  out[7] = powf(next(x), 2.0f) + powf(out[n++], 2.0f);
  // CHECK: out[8] = POW2(x) + powf(x, 2.5f) + powf(x, y);
  out[8] = POW2(x) + powf(x, 2.5f) + powf(x, y);
  // CHECK: out[9] = deduced * square(x);
  out[9] = deduced * square(x);
  // CHECK: out[10] = 1.0f / next(x);
  out[10] = powf(next(x), -1.0f);
  // CHECK: out[11] = x * x * (x * x);
  out[11] = powf(x, 4.0f);
  // CHECK: out[12] = powf(x * x + powf(y + 1.0f, 2.5f), 2.0f);
  out[12] = powf(powf(x, 2.0f) + powf(y + 1.0f, 2.5f), 2.0f);
}

// CHECK-LABEL: void roots(
__global__ void roots(float *out, double *wide, float x, float y, double d) {
  // CHECK: out[0] = sqrtf(x * x + y * y);
  out[0] = powf(x * x + y * y, 0.5f);
  // CHECK: wide[0] = 2.0 * sqrt(d) + rsqrt((double)x);
  wide[0] = 2.0 * pow(d, 0.5) + pow(x, -0.5);
}

// CHECK-LABEL: void quotients(
__global__ void quotients(float *out, double *wide, float x, double d, int n) {
  // CHECK: out[0] = x * (1.0f / 3.0f) + x * (1.0f / 7);
  out[0] = x / 3.0f + x / 7;
  // CHECK: wide[0] = d * (1.0 / 0.3);
  wide[0] = d / 0.3;
  // CHECK: out[1] = x / 4.0f;
  out[1] = x / 4.0f;
  // CHECK: x *= 1.0f / 5.0f;
  x /= 5.0f;
  // CHECK: out[2] = 1.0f / 3.0f + n / 3 + x / 0.0f + x / 3e38f;
  out[2] = 1.0f / 3.0f + n / 3 + x / 0.0f + x / 3e38f;
}

// Instantiated with float and with double: the text has to serve both.
// CHECK-LABEL: void generic(
template <typename T> __global__ void generic(T *out) {
  // CHECK: out[0] = pow(out[1], T(2));
  out[0] = pow(out[1], T(2));
  // CHECK: out[2] = out[1] / 3;
  out[2] = out[1] / 3;
}

#ifdef NEVER
// CHECK: void inactive(float *out) { out[0] = powf(out[1], 2.0f); }
__global__ void inactive(float *out) { out[0] = powf(out[1], 2.0f); }
#endif

void launch(float *f, double *d) {
  generic<<<1, 1>>>(f);
  generic<<<1, 1>>>(d);
}
