// Loops whose iterations need each other, or tie threads together, stay.
// RUN: cuda-l1-opt %s --rules='-*,unroll-and-jam' --apply-all -- %fake_cuda | diff %s -

// The next row reads what this one stores; the arrays may be one.
__global__ void recurrence(float *__restrict__ a, const float *__restrict__ b, int n) {
  for (int r = 1; r < 33; r++) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[(r - 1) * n + k] * b[k];
    a[r * n] = sum;
  }
}
__global__ void overlap(const float *a, const float *b, float *out, int n) {
  for (int r = 0; r < 32; r++) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[r * n + k] * b[k];
    out[r] = sum;
  }
}
// The inner loops depend on each other the other way round: a[r][k] needs
// a[r - 1][k + 1].
__global__ void skewed(float *__restrict__ a, const float *__restrict__ b) {
  for (int r = 1; r < 33; r++) {
    for (int k = 0; k < 63; k++)
      a[r * 64 + k] = a[(r - 1) * 64 + k + 1] + b[k];
  }
}
// A sum over all rows.
__global__ void total(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n) {
  float sum = 0;
  for (int r = 0; r < 32; r++) {
    for (int k = 0; k < n; k++)
      sum += a[r * n + k] * b[k];
  }
  out[0] = sum;
}
// A triangle: the inner loop is another one in each iteration.
__global__ void triangle(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n) {
  for (int r = 0; r < 32; r++) {
    float sum = 0;
    for (int k = 0; k < r; k++)
      sum += a[r * n + k] * b[k];
    out[r] = sum;
  }
}
// Left early, or with a barrier.
__global__ void leaves(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n) {
  for (int r = 0; r < 32; r++) {
    float sum = 0;
    for (int k = 0; k < n; k++) {
      if (b[k] < 0)
        break;
      sum += a[r * n + k] * b[k];
    }
    out[r] = sum;
  }
}
__global__ void barrier(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n) {
  for (int r = 0; r < 32; r++) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[r * n + k] * b[k];
    __syncthreads();
    out[r] = sum;
  }
}
// Nothing is read again: nothing to gain.
__global__ void sums(const float *__restrict__ a, float *__restrict__ out, int n) {
  for (int r = 0; r < 32; r++) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[r * n + k];
    out[r] = sum;
  }
}
// Atomic operations, volatile memory, a pointer to a variable.
__global__ void atomics(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n) {
  for (int r = 0; r < 32; r++) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[r * n + k] * b[k];
    atomicAdd(&out[r], sum);
  }
}
__global__ void uncertain(const float *__restrict__ a, const volatile float *__restrict__ b, float *__restrict__ out, int n) {
  for (int r = 0; r < 32; r++) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[r * n + k] * b[k];
    out[r] = sum;
  }
}
// A step that is not one; a pragma of the author's.
__global__ void steps(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n) {
  for (int r = 0; r < 32; r += 2) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[r * n + k] * b[k];
    out[r] = sum;
  }
}
__global__ void pragma(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n) {
#pragma unroll 1
  for (int r = 0; r < 32; r++) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[r * n + k] * b[k];
    out[r] = sum;
  }
}
