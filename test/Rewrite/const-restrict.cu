// RUN: cuda-l1-opt %s --rules='-*,const-restrict' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,const-restrict' --apply-all -- %fake_cuda | diff %t.cu -
//
// What is not proved needs a check of a run.
// RUN: cuda-l1-opt %s --rules='-*,const-restrict' --apply-all --needs-check -- %fake_cuda \
// RUN:   | FileCheck %s --check-prefix=CHECKED

// Buffers of different allocations; every declaration changes alike.
// CHECK: {{^}}__global__ void add(const float *a, const float *b, float *c, int n);
__global__ void add(float *a, float *b, float *c, int n);
// CHECK: {{^}}__global__ void add(const float *__restrict__ a, const float *__restrict__ b,
// CHECK-NEXT: {{^}}                    float *__restrict__ c, int n)
__global__ void add(float *a, float *b,
                    float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + __ldg(&b[i]);
}

// A pattern has one text for all its instantiations.
// CHECK: {{^}}template <typename T> __global__ void scale(const T *__restrict__ x, T *__restrict__ y)
template <typename T> __global__ void scale(T *x, T *y) {
  y[threadIdx.x] = x[threadIdx.x] * T(2);
}

// Types from macros and typedefs; a pointer that moves; an alias that is const.
#define REAL float
typedef unsigned int word;
// CHECK: {{^}}__global__ void types(const REAL *__restrict__ a, const word *__restrict__ b, float *__restrict__ c)
__global__ void types(REAL *a, word *b, float *c) {
  const float *p = a + threadIdx.x;
  b += blockIdx.x;
  c[threadIdx.x] = *p + b[0];
}

// The same buffer is passed twice: it is read through a, written through b.
// CHECK: {{^}}__global__ void overlapping(const float *a, float *b)
// CHECKED: {{^}}__global__ void overlapping(const float *a, float *b)
__global__ void overlapping(float *a, float *b) { b[threadIdx.x] = a[threadIdx.x + 1]; }

// Where the buffers come from cannot be seen.
// CHECK: {{^}}__global__ void foreign(const float *a, float *b)
// CHECKED: {{^}}__global__ void foreign(const float *__restrict__ a, float *__restrict__ b)
__global__ void foreign(float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }

// Written through another name: nothing may be said of a.
// CHECK: {{^}}__global__ void written(float *{{(__restrict__ )?}}a)
__global__ void written(float *a) {
  float *p = a;
  p[threadIdx.x] = 1.0f;
}

// Read only, but const would not compile: a copy that is not const, a template
// argument, a reference, a member function that is not const.
struct Box {
  float v;
  __device__ float get() { return v; }
};
template <typename P> __device__ float first(P p) { return p[0]; }
__device__ float load(float &x) { return x; }
// CHECK: {{^}}__global__ void copied(float *{{(__restrict__ )?}}a, float *{{(__restrict__ )?}}b, float *{{(__restrict__ )?}}c, Box *{{(__restrict__ )?}}d, float *{{(__restrict__ )?}}o)
__global__ void copied(float *a, float *b, float *c, Box *d, float *o) {
  float *p = a;
  o[threadIdx.x] = p[0] + first(b) + load(c[0]) + d->get();
}

// A table of functions says which types the kernel has.
// CHECK: {{^}}__global__ void pointed(float *{{(__restrict__ )?}}a, float *{{(__restrict__ )?}}b)
__global__ void pointed(float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }
void (*table[])(float *, float *) = {pointed};

// An explicit instantiation spells the types.
// CHECK: {{^}}template <typename T> __global__ void spelled(T *{{(__restrict__ )?}}a, T *{{(__restrict__ )?}}b)
template <typename T> __global__ void spelled(T *a, T *b) { b[threadIdx.x] = a[threadIdx.x]; }
// CHECK: {{^}}template __global__ void spelled<float>(float *, float *);
template __global__ void spelled<float>(float *, float *);

// Two functions of one name are told apart by the types.
// CHECK: {{^}}__global__ void twice(float *{{(__restrict__ )?}}a, float *{{(__restrict__ )?}}b)
__global__ void twice(float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }
__global__ void twice(const float *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }

// Inline assembly may touch anything.
// CHECK: {{^}}__global__ void assembly(const float *a, float *b)
// CHECKED: {{^}}__global__ void assembly(const float *a, float *b)
__global__ void assembly(float *a, float *b) {
  asm volatile("membar.gl;" ::: "memory");
  b[threadIdx.x] = a[threadIdx.x];
}

// Arrays, pointers to pointers, volatile and what a macro spells stay.
#define PARAMETER float *m
// CHECK: {{^}}__global__ void shapes(float a[], float **p, volatile float *v, PARAMETER)
__global__ void shapes(float a[], float **p, volatile float *v, PARAMETER) {
  m[0] = a[0] + p[0][0] + v[0];
}

// Global memory with a name of its own may be what a points to.
__device__ float total;
// CHECK: {{^}}__global__ void named(const float *a)
__global__ void named(float *a) { total += a[threadIdx.x]; }

void launch_foreign(float *x, float *y) {
  foreign<<<1, 32>>>(x, y);
  named<<<1, 32>>>(x);
}

int main() {
  float *a, *b, *c;
  word *w;
  Box *d;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMalloc(&c, 4096);
  cudaMalloc(&w, 4096);
  cudaMalloc(&d, 4096);
  add<<<4, 32>>>(a, b, c, 128);
  scale<float><<<1, 32>>>(a, b);
  scale<<<1, 32>>>((double *)a, (double *)c);
  types<<<1, 32>>>(a, w, c);
  overlapping<<<1, 32>>>(a, a);
  written<<<1, 32>>>(a);
  copied<<<1, 32>>>(a, b, c, d, a);
  pointed<<<1, 32>>>(a, b);
  spelled<float><<<1, 32>>>(a, b);
  twice<<<1, 32>>>(a, b);
  assembly<<<1, 32>>>(a, b);
  shapes<<<1, 32>>>(a, nullptr, b, c);
}

// `__restrict__` may change which products and sums the compiler fuses: exact
// only where integers are written.
// RUN: cuda-l1-opt %s --rules='-*,const-restrict' --list-sites -- %fake_cuda | FileCheck --check-prefix=CLASS %s
// CLASS-DAG: const-restrict:restrict counts, bins {{.*}}[exact]
// CLASS-DAG: const-restrict:const from [exact]
// CLASS-DAG: const-restrict:restrict from, into {{.*}}[reassociate]
__global__ void countInto(int *counts, int *bins) {
  bins[threadIdx.x] += counts[threadIdx.x];
}
__global__ void copyInto(float *from, float *into) {
  into[threadIdx.x] = from[threadIdx.x];
}
void launchBoth() {
  int *counts, *bins;
  float *from, *into;
  cudaMalloc(&counts, 128);
  cudaMalloc(&bins, 128);
  cudaMalloc(&from, 128);
  cudaMalloc(&into, 128);
  countInto<<<1, 32>>>(counts, bins);
  copyInto<<<1, 32>>>(from, into);
}
