// Loops that do not gain, whose iterations need each other, or that tie threads
// together, stay.
// RUN: cuda-l1-opt %s --rules='-*,interchange-loops' --apply-all -- %fake_cuda | diff %s -

// Contiguous already; neither order is better.
__global__ void contiguous(const float *m, float *out, int n) {
  float sum = 0;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < 8; ++c)
      sum += m[r * 8 + c];
  out[0] = sum;
}
__global__ void even(const float *m, float *out, int n, int s) {
  float sum = 0;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < 8; ++c)
      sum += m[r * n + c * s];
  out[0] = sum;
}
// Each element of C stays in a register while k runs; with j in the inner loop it
// would be stored each time.
__global__ void product(const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ C, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[(t * n + i) * n + j] += A[(t * n + i) * n + k] * B[k * n + j];
}
// a[r][c] needs a[r - 1][c + 1], which is stored in an earlier row.
__global__ void skewed(float *a, int m) {
  for (int c = 0; c < m - 1; c++)
    for (int r = 1; r < 64; r++)
      a[r * m + c] += a[(r - 1) * m + c + 1];
}
// ... and one whose distance is not known.
__global__ void unknown(float *a, int m, int d) {
  for (int c = 0; c < 32; c++)
    for (int r = 0; r < 64; r++)
      a[r * m + c] += a[r * m + c + d];
}
// The arrays may be one.
__global__ void overlap(const float *a, float *b, int m) {
  for (int c = 0; c < 32; c++)
    for (int r = 0; r < 64; r++)
      b[r * m + c] = a[r * m + c] + 1;
}
// The last one counts, or the sum is looked at on the way.
__global__ void last(const float *m, float *out, int n) {
  float value = 0;
  for (int c = 0; c < 8; ++c)
    for (int r = 0; r < n; r++)
      value = m[r * 8 + c];
  out[0] = value;
}
__global__ void prefix(const float *m, float *__restrict__ out, int n) {
  float sum = 0;
  for (int c = 0; c < 8; ++c)
    for (int r = 0; r < n; r++) {
      sum += m[r * 8 + c];
      out[r * 8 + c] = sum;
    }
}
__global__ void horner(const float *m, float *out, int n) {
  float value = 0;
  for (int c = 0; c < 8; ++c)
    for (int r = 0; r < n; r++)
      value = value * 0.5f + m[r * 8 + c];
  out[0] = value;
}
// A triangle; a bound that the loops change; a bound in memory, which may not
// be read where the outer loop has no iteration.
__global__ void triangle(const float *m, float *out, int n) {
  float sum = 0;
  for (int c = 0; c < n; ++c)
    for (int r = 0; r <= c; r++)
      sum += m[r * n + c];
  out[0] = sum;
}
__global__ void moving(const int *m, int *out, int n) {
  int sum = 0;
  for (int c = 0; c < 8; ++c)
    for (int r = sum; r < n; r++)
      sum += m[r * 8 + c];
  out[0] = sum;
}
__global__ void loaded(const float *m, const int *rows, float *out) {
  float sum = 0;
  for (int c = 0; c < 8; ++c)
    for (int r = 0; r < rows[0]; r++)
      sum += m[r * 8 + c];
  out[0] = sum;
}
// The bound of the outer loop would be another `r` inside of the inner head.
__global__ void names(const float *m, float *out, int r) {
  float sum = 0;
  for (int c = 0; c < r; ++c)
    for (int r = 0; r < 64; r++)
      sum += m[r * 8 + c];
  out[0] = sum;
}
// More than one statement; a variable from outside; a step that is not
// constant; a narrow variable; a pragma of the author's.
__global__ void imperfect(const float *m, float *out, int n) {
  for (int c = 0; c < 8; ++c) {
    float sum = 0;
    for (int r = 0; r < n; r++)
      sum += m[r * 8 + c];
    out[c] = sum;
  }
}
__global__ void outside(const float *m, float *out, int n) {
  float sum = 0;
  int r;
  for (int c = 0; c < 8; ++c)
    for (r = 0; r < n; r++)
      sum += m[r * 8 + c];
  out[0] = sum + r;
}
__global__ void steps(const float *m, float *out, int n) {
  float sum = 0;
  for (int c = 0; c < 8; ++c)
    for (int r = threadIdx.x; r < n; r += blockDim.x)
      sum += m[r * 8 + c];
  out[threadIdx.x] = sum;
}
__global__ void narrow(const float *m, float *out) {
  float sum = 0;
  for (int c = 0; c < 8; ++c)
    for (unsigned char r = 0; r < 100; r++)
      sum += m[r * 8 + c];
  out[0] = sum;
}
__global__ void pragma(const float *m, float *out, int n) {
  float sum = 0;
  for (int c = 0; c < 8; ++c)
#pragma unroll 4
    for (int r = 0; r < n; r++)
      sum += m[r * 8 + c];
  out[0] = sum;
}
// Left early; with a barrier, atomic operations, volatile memory, a call.
__global__ void leaves(const float *m, float *out, int n) {
  float sum = 0;
  for (int c = 0; c < 8; ++c)
    for (int r = 0; r < n; r++) {
      if (m[r * 8 + c] < 0)
        break;
      sum += m[r * 8 + c];
    }
  out[0] = sum;
}
__global__ void barrier(const float *m, float *out, int n) {
  float sum = 0;
  for (int c = 0; c < 8; ++c)
    for (int r = 0; r < n; r++) {
      sum += m[r * 8 + c];
      __syncthreads();
    }
  out[0] = sum;
}
__global__ void atomics(const int *m, int *out, int n) {
  for (int c = 0; c < 8; ++c)
    for (int r = 0; r < n; r++)
      atomicAdd(&out[c], m[r * 8 + c]);
}
__global__ void uncertain(const volatile float *m, float *out, int n) {
  float sum = 0;
  for (int c = 0; c < 8; ++c)
    for (int r = 0; r < n; r++)
      sum += m[r * 8 + c];
  out[0] = sum;
}
__device__ float next(float x);
__global__ void calls(const float *m, float *out, int n) {
  float sum = 0;
  for (int c = 0; c < 8; ++c)
    for (int r = 0; r < n; r++)
      sum += next(m[r * 8 + c]);
  out[0] = sum;
}
// A macro makes a head, or another configuration has another loop.
#define ROWS for (int r = 0; r < n; r++)
__global__ void macro(const float *m, float *out, int n) {
  float sum = 0;
  for (int c = 0; c < 8; ++c)
    ROWS sum += m[r * 8 + c];
  out[0] = sum;
}
__global__ void configured(const float *m, float *out, int n) {
  float sum = 0;
  for (int c = 0; c < 8; ++c)
#ifdef HALF
    for (int r = 0; r < n / 2; r++)
#else
    for (int r = 0; r < n; r++)
#endif
      sum += m[r * 8 + c];
  out[0] = sum;
}
