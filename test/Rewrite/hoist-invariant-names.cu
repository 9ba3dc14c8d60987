// Values that change by another name, and loops that never run; all are left
// alone.
// RUN: cuda-l1-opt %s --rules='-*,hoist-invariant' --apply-all --needs-check -o %t.cu -- %fake_cuda
// RUN: diff %s %t.cu

struct Counter {
  float x;
  __device__ void step() { x += 1; }
};

__global__ void byMember(float *__restrict__ C, int n) {
  Counter s;
  s.x = 1;
  for (int k = 0; k < n; k++) {
    s.step();
    C[k] = sqrtf(s.x);
  }
}

__global__ void byPointer(float *__restrict__ C, int n) {
  float x = 1;
  float *p = &x;
  Counter s;
  s.x = 1;
  Counter *q = &s;
  for (int k = 0; k < n; k++) {
    *p += 1;
    q->x += 1;
    C[k] = sqrtf(x) + sqrtf(s.x);
  }
}

__global__ void byReference(float *__restrict__ C, int n) {
  float x = 1;
  float &r = x;
  for (int k = 0; k < n; k++) {
    r += 1;
    C[k] = sqrtf(x);
  }
}

__global__ void byLambda(float *__restrict__ C, int n) {
  float x = 1;
  auto f = [&] { x += 1; };
  for (int k = 0; k < n; k++) {
    f();
    C[k] = sqrtf(x);
  }
}

// -1 is not below 10u: A is never read.
__global__ void comparedWithoutSign(const int *__restrict__ A,
                                    float *__restrict__ C) {
  for (int k = -1; k < 10u; k++)
    C[k + 1] = sqrtf(A[0] + 1.0f);
}

// Once inlined, the product and the sum may be one operation.
__device__ float sum(float a, float b) { return a + b; }
__global__ void inlined(const float *__restrict__ A, float *__restrict__ C,
                        float u, int n) {
  for (int k = 0; k < 10; k++)
    C[k] = sum(A[n] * u, C[k]);
}

// Called for a negative x it does not end.
__device__ float root(float x) {
  float g = x;
  while (g * g > 1.001f * x || g * g < 0.999f * x)
    g = 0.5f * (g + x / g);
  return g;
}
__global__ void endless(float *__restrict__ C, float x, float y) {
  for (int k = 0; k < 10; k++)
    if (x > 0)
      C[k] = root(x) / y;
}
