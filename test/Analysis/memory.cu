// Spaces, arrays of arrays, members, and pointers that cannot be followed.
// RUN: cuda-l1-opt --dump-kernels %s -- %fake_cuda | FileCheck %s

__constant__ float weights[4][8];
__device__ int counter;
struct Particle {
  float4 position;
  float mass;
};
struct Arguments {
  float *out;
  const float *in;
  int n;
};
__device__ void opaque(float *);
__device__ float mean(const float *p, int n, float *store) {
  *store = p[0];
  return p[n];
}

// CHECK-LABEL: kernel spaces
__global__ void spaces(float *a, Particle *bodies, Arguments s) {
  __shared__ float tile[16][33];
  extern __shared__ double scratch[];
  float local[4];
  // CHECK: write line [[#@LINE+1]]: shared tile[33*threadIdx.y + threadIdx.x + 33] float, coalesced
  tile[threadIdx.y + 1][threadIdx.x] = 0;
  // CHECK: write line [[#@LINE+1]]: shared scratch[threadIdx.x] double, coalesced
  scratch[threadIdx.x] = 0;
  // CHECK: write line [[#@LINE+1]]: local local[2] float
  local[2] = 0;
  // CHECK: read line [[#@LINE+2]]: constant weights[threadIdx.x + 8] float
  // CHECK: read-write line [[#@LINE+1]]: global a[0] float
  *a += weights[1][threadIdx.x];
  // CHECK: read-write line [[#@LINE+1]]: global bodies[threadIdx.x].position.y Particle
  bodies[threadIdx.x].position.y += 1;
  // CHECK: read line [[#@LINE+2]]: global in[threadIdx.x] float
  // CHECK: write line [[#@LINE+1]]: global out[threadIdx.x] float
  s.out[threadIdx.x] = s.in[threadIdx.x];
  // CHECK: atomic line [[#@LINE+1]]: global counter[0] int
  atomicAdd(&counter, 1);
  // CHECK: shared float tile[16][33]
  // CHECK: shared double scratch[] (sized at the launch)
  // CHECK: local float local[4]
  // CHECK: atomics: atomicAdd
}

// CHECK-LABEL: kernel calls
// CHECK: parameter a: float *, read{{$}}
// CHECK: parameter b: float *, written
// CHECK: parameter c: float *, escapes
__global__ void calls(float *a, float *b, float *c, int n) {
  mean(a, n, b);
  opaque(c);
  // CHECK: unknown calls: opaque
}

// A pointer that may be either parameter is no parameter.
// CHECK-LABEL: kernel select
// CHECK: parameter a: float *, escapes
// CHECK: parameter b: float *, escapes
// CHECK: write line [[#@LINE+3]]: unknown ?[?]
__global__ void select(float *a, float *b, bool first) {
  float *p = first ? a : b;
  p[0] = 1;
}

// One that only moves along its buffer still points into it.
// CHECK-LABEL: kernel walk
// CHECK: parameter a: float *, written
// CHECK: write line [[#@LINE+4]]: global a[p] float, unknown, not affine: `p` is assigned in the kernel
__global__ void walk(float *a, int n) {
  float *p = a;
  while (n-- > 0)
    *p = 0, p += n;
}

// Two structs of one type: the field's name does not tell which.
// CHECK-LABEL: kernel twins
// CHECK: write line [[#@LINE+2]]: unknown ?[?]
__global__ void twins(Arguments s, Arguments t) {
  s.out[0] = t.in[0];
}

// What a constexpr variable holds is computed by the compiler: no call is made.
constexpr int logarithm(int n) { return n > 1 ? 1 + logarithm(n / 2) : 0; }
// CHECK-LABEL: kernel compileTime
// CHECK-NOT: unknown calls
// CHECK: write line [[#@LINE+3]]: global a[threadIdx.x + 5] float, coalesced
__global__ void compileTime(float *a) {
  constexpr int shift = logarithm(32);
  a[threadIdx.x + shift] = 0;
}
