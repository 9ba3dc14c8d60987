// RUN: cuda-l1-opt %s --rules='-*,unroll-loop' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,unroll-loop' --apply-all -- %fake_cuda | diff %t.cu -

// Few iterations, known: all of them at once. A number unknown: by a factor.
// CHECK-LABEL: {{^[^/]*}}void counts
__global__ void counts(float *a, int n) {
  float s = 0.0f;
  // CHECK:      {{^}}  #pragma unroll{{$}}
  // CHECK-NEXT: for (int i = 0; i < 8; ++i)
  for (int i = 0; i < 8; ++i)
    s += a[i];
  // CHECK:      {{^}}  #pragma unroll 4{{$}}
  // CHECK-NEXT: for (int i = threadIdx.x; i < n; i += blockDim.x)
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    s += a[i];
  a[0] = s;
}

// The outer loop is too long, the inner one is its sole child.
// CHECK-LABEL: {{^[^/]*}}void nested
__global__ void nested(float *a, int n) {
  // CHECK-NOT:  {{^ *}}#pragma
  // CHECK:      {{^}}  for (int i = 0; i < n; ++i)
  // CHECK-NEXT: {{^}}    #pragma unroll 4{{$}}
  // CHECK-NEXT: for (int j = 0; j < n; ++j)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[i * n + j] += 1.0f;
}

// The author has decided, for or against, here or in another configuration.
// CHECK-LABEL: {{^[^/]*}}void decided
__global__ void decided(float *a, int n) {
  // CHECK-NOT: {{^ *}}#pragma unroll 4
#pragma unroll 2
  for (int i = 0; i < n; ++i)
    a[i] += 1.0f;
#pragma nounroll
  for (int i = 0; i < n; ++i)
    a[i] += 1.0f;
  _Pragma("unroll 2")
  for (int i = 0; i < n; ++i)
    a[i] += 1.0f;
#ifdef SMALL_CACHE
#pragma unroll 1
#endif
  for (int i = 0; i < n; ++i)
    a[i] += 1.0f;
  a[0] = 0.0f;
}

#define ADD_ALL(a, n)                                                          \
  for (int i = 0; i < n; ++i)                                                  \
    a[i] += 1.0f;
#define TWICE(x) x x

// Macros: neither body nor argument has room for a line.
// CHECK-LABEL: {{^[^/]*}}void macros
__global__ void macros(float *a, int n) {
  // CHECK-NOT: {{^ *}}#pragma
  ADD_ALL(a, n)
  TWICE(for (int i = 0; i < n; ++i) a[i] += 1.0f;)
}

// One iteration, no counter, a bound that moves: nothing to unroll.
// CHECK-LABEL: {{^[^/]*}}void uncounted
__global__ void uncounted(float *a, int n) {
  // CHECK-NOT: {{^ *}}#pragma
  for (int i = 0; i < 1; ++i)
    a[i] += 1.0f;
  while (n > 0)
    a[--n] += 1.0f;
  for (int i = 0; i < n; ++i)
    --n;
}

// Instantiations share one text: 4 iterations in one, 100 in the other leave
// only the factors that both have.
// CHECK-LABEL: {{^[^/]*}}void shared
template <int N> __global__ void shared(float *a) {
  // CHECK:      {{^}}  #pragma unroll 2{{$}}
  // CHECK-NEXT: for (int i = 0; i < N; ++i)
  for (int i = 0; i < N; ++i)
    a[i] += 1.0f;
}

// CHECK-LABEL: {{^[^/]*}}void launch
void launch(float *a) {
  shared<4><<<1, 32>>>(a);
  shared<100><<<1, 32>>>(a);
}
