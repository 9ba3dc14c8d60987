// What hoist-invariant rewrites and what it leaves alone.
// RUN: cuda-l1-opt %s --rules='-*,hoist-invariant' --apply-all -o %t.cu -- %fake_cuda
// RUN: FileCheck %s --match-full-lines --strict-whitespace < %t.cu
// A second run finds nothing more to do.
// RUN: cuda-l1-opt %t.cu --rules='-*,hoist-invariant' --apply-all -o %t2.cu -- %fake_cuda
// RUN: diff %t.cu %t2.cu

// A maths function, used twice; a quotient.
__global__ void functions(const float *__restrict__ in, float *__restrict__ out,
                          float x, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // Every element.
  for (int k = 0; k < n; k++) {
    out[i * n + k] = in[k] * expf(x);
    out[i * n + k] -= expf(x); // again
    out[i * n + k] += in[k] * (1.0f / scale);
  }
}
//      CHECK:__global__ void functions({{.*}}
//      CHECK:  // Every element.
// CHECK-NEXT:  const float expX = expf(x);
// CHECK-NEXT:  const float factor = 1.0f / scale;
// CHECK-NEXT:  for (int k = 0; k < n; k++) {
// CHECK-NEXT:    out[i * n + k] = in[k] * expX;
// CHECK-NEXT:    out[i * n + k] -= expX; // again
// CHECK-NEXT:    out[i * n + k] += in[k] * factor;
// CHECK-NEXT:  }

// Out of both loops; auto, since the type depends on the instantiation.
template <class T>
__global__ void outer(const T *__restrict__ in, T *__restrict__ out, T x,
                      int rows, int cols) {
  for (int r = 0; r < rows; r++)
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      out[r * cols + c] = in[c] * sqrt(x);
}
template __global__ void outer(const float *, float *, float, int, int);
template __global__ void outer(const double *, double *, double, int, int);
//      CHECK:__global__ void outer({{.*}}
//      CHECK:  const auto sqrtX = sqrt(x);
// CHECK-NEXT:  for (int r = 0; r < rows; r++)
// CHECK-NEXT:    for (int c = threadIdx.x; c < cols; c += blockDim.x)
// CHECK-NEXT:      out[r * cols + c] = in[c] * sqrtX;

// A load in the expression: the loop is known to execute it.
__global__ void loads(const float *__restrict__ m, float *__restrict__ out,
                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < n; k++)
      out[i * n + k] = k * (m[i] - 1.0f);
}
//      CHECK:__global__ void loads({{.*}}
//      CHECK:  if (i < n) {
// CHECK-NEXT:    const float mTerm = m[i] - 1.0f;
// CHECK-NEXT:    for (int k = 0; k < n; k++)
// CHECK-NEXT:      out[i * n + k] = k * mTerm;
// CHECK-NEXT:  }

// An integer division under a guard that makes the loop run.
__global__ void divides(int *__restrict__ out, int w) {
  int i = threadIdx.x;
  if (i < w)
    for (int k = 0; k < w; k++)
      out[k * w + i / w] = k;
}
//      CHECK:__global__ void divides({{.*}}
//      CHECK:    const int iQuotient = i / w;
// CHECK-NEXT:    for (int k = 0; k < w; k++)
// CHECK-NEXT:      out[k * w + iQuotient] = k;

// A product that is added stays: the compiler may fuse both into one rounding.
__global__ void fused(const float *__restrict__ in, float *__restrict__ out,
                      float x, float scale) {
  for (int k = 0; k < 8; k++)
    out[k] = in[k] + expf(x) * scale;
}
//      CHECK:__global__ void fused({{.*}}
//      CHECK:  const float expX = expf(x);
// CHECK-NEXT:  for (int k = 0; k < 8; k++)
// CHECK-NEXT:    out[k] = in[k] + expX * scale;

// Left alone.
// - What the compiler hoists itself: plain arithmetic.
// - Operands that change; calls with side effects; stored-to memory.
// - A load or a division where the loop may not execute it.
__device__ float noisy(float x);
__global__ void kept(const float *__restrict__ a, float *__restrict__ out,
                     float *other, float x, int n, int w) {
  int i = threadIdx.x;
  for (int k = 0; k < n; k++) {
    out[i * n + k] = a[k] + x * w * n;
    out[i * w + 1] = a[k] * noisy(x);
  }
  float y = x;
  for (int k = 0; k < n; k++) {
    y += 1.0f;
    out[k] = sinf(y);
    out[k] += sinf(k);
  }
  for (int k = 0; k < n; k++)
    out[k] = k * (a[i] - 1.0f);
  for (int k = 0; k < 8; k++)
    if (k > n)
      out[k] = k * (a[i] - 1.0f);
  for (int k = 0; k < 8; k++)
    if (w != 0)
      out[i / w] += k;
  for (int k = 0; k < 8; k++)
    other[k] = k * (other[i] - 1.0f);
  for (int k = 0; k < 8; k++) {
#if __CUDA_ARCH__ >= 900
    out[k] = k * sinf(x);
#endif
    out[k] += 1;
  }
}
//      CHECK:__global__ void kept({{.*}}
//      CHECK:  for (int k = 0; k < n; k++) {
// CHECK-NEXT:    out[i * n + k] = a[k] + x * w * n;
//      CHECK:    out[k] = sinf(y);
//      CHECK:    out[k] += sinf(k);
//      CHECK:    out[k] = k * (a[i] - 1.0f);
//      CHECK:      out[k] = k * (a[i] - 1.0f);
//      CHECK:      out[i / w] += k;
//      CHECK:    other[k] = k * (other[i] - 1.0f);
//      CHECK:    out[k] = k * sinf(x);
