// RUN: cuda-l1-opt %s --rules='-*,float-literals' --apply-all --fp-class=reduced-precision -o %t.cu -- %fake_cuda
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: cuda-l1-opt %t.cu --rules='-*,float-literals' --apply-all --fp-class=reduced-precision -o %t.again.cu -- %fake_cuda
// RUN: diff %t.cu %t.again.cu

#define EPS 1e-5
#define THIRD (1.0 / 3.0)
#define SQUARE(V) ((V) * (V))
#define HALF_OF(V) (0.5 * (V))
typedef float real;
#define REAL float

__device__ float scaled(float v) { return v * 0.7 + 1.0; }
__host__ __device__ float shared(float v) { return v * 0.7; }

// CHECK: __device__ float scaled(float v) { return v * 0.7f + 1.0f; }
// CHECK: __host__ __device__ float shared(float v) { return v * 0.7; }

// A formula of floats is computed in float.
// CHECK-LABEL: void formulas(
__global__ void formulas(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  // CHECK: float a = 0.5f * x + 1.f;
  float a = 0.5 * x + 1.;
  // CHECK: float b = sqrtf(1.0f + x * x);
  float b = sqrt(1.0 + x * x);
  // CHECK: float c = powf(x, 1.5f) * .25f;
  float c = pow(x, 1.5) * .25;
  // CHECK: float d = x > 0.5f ? 2.0f * x : 0.0f;
  float d = x > 0.5 ? 2.0 * x : 0.0;
  // CHECK: a += 1e-3f * scaled(shared(x));
  a += 1e-3 * scaled(shared(x));
  // CHECK: b *= 3.0f;
  b *= 3.0;
  // CHECK: c = (float)(i * 0.1f);
  c = (float)(i * 0.1);
  // CHECK: d = fmaxf(x - 1.0f, 0.0f) / n;
  d = fmax(x - 1.0, 0.0) / n;
  // CHECK: out[i] = -a * 2.0f + b + c + d;
  out[i] = -a * 2.0 + b + c + d;
}

// A macro that is one constant gets a cast; other macros stay.
// CHECK-LABEL: void macros(
__global__ void macros(float *out, float x, REAL y, real z) {
  // CHECK: out[0] = x + (float)EPS;
  out[0] = x + EPS;
  // CHECK: out[1] = x * (float)THIRD + 1.0f;
  out[1] = x * THIRD + 1.0;
  // CHECK: out[2] = SQUARE(x * 2.0);
  out[2] = SQUARE(x * 2.0);
  // CHECK: out[3] = HALF_OF(x);
  out[3] = HALF_OF(x);
  // CHECK: out[4] = y * 2.0 + z * 3.0;
  out[4] = y * 2.0 + z * 3.0;
}

// What the author computes in double stays double.
// CHECK-LABEL: void doubles(
__global__ void doubles(float *out, double *wide, float x, double d, int n) {
  // CHECK: double a = x * 2.0;
  double a = x * 2.0;
  // CHECK: auto b = x * 2.0;
  auto b = x * 2.0;
  // CHECK: out[0] = d * 2.0 * x;
  out[0] = d * 2.0 * x;
  // CHECK: out[1] = (double)x * 2.0 + 1.0;
  out[1] = (double)x * 2.0 + 1.0;
  // CHECK: out[2] = x * 1e300 * 1e-300;
  out[2] = x * 1e300 * 1e-300;
  // CHECK: wide[0] = sqrt(x * 2.0);
  wide[0] = sqrt(x * 2.0);
  // CHECK: if (x == 0.1 || n * 0.5 > x)
  if (x == 0.1 || n * 0.5 > x)
    // CHECK: out[3] = 1.0;
    out[3] = 1.0;
  // CHECK: int k = x * 0.1;
  int k = x * 0.1;
  // CHECK: printf("%f", x * 2.0);
  printf("%f", x * 2.0);
  // CHECK: out[5] = n > 3 ? 1.0 : 2.0 * 3.0;
  out[5] = n > 3 ? 1.0 : 2.0 * 3.0;
  out[4] = a + b + k;
}

#ifdef NEVER
// CHECK: void inactive(float *out) { out[0] = out[1] * 2.0; }
__global__ void inactive(float *out) { out[0] = out[1] * 2.0; }
#endif

// CHECK-LABEL: void branches(
__global__ void branches(float *out, float x) {
#ifdef NEVER
  // CHECK: out[0] = x * 2.0;
  out[0] = x * 2.0;
#else
  // CHECK: out[0] = x * 2.0f;
  out[0] = x * 2.0;
#endif
}

// Instantiated with float and with double: what depends on T stays.
// CHECK-LABEL: void generic(
template <typename T> __global__ void generic(T *out, float x) {
  // CHECK: out[0] = out[1] * 2.0;
  out[0] = out[1] * 2.0;
  // CHECK: float y = x * 2.0f + 1.0f;
  float y = x * 2.0 + 1.0;
  out[2] = y;
}

// CHECK-LABEL: void onlyFloat(
template <typename T> __global__ void onlyFloat(T *out) {
  // CHECK: out[0] = out[1] * 2.0f + 1.0f;
  out[0] = out[1] * 2.0 + 1.0;
}

void launch(float *f, double *d) {
  // CHECK: float host = f[0] * 2.0;
  float host = f[0] * 2.0;
  generic<<<1, 1>>>(f, host);
  generic<<<1, 1>>>(d, host);
  onlyFloat<<<1, 1>>>(f);
}
