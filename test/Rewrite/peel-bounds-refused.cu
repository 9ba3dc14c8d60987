// Tests that are not linear, that the loop changes, or whose loop ties threads
// together stay where they are.
// RUN: cuda-l1-opt %s --rules='-*,peel-bounds' --apply-all -- %fake_cuda | diff %s -

// Below zero an unsigned number is a large one.
__global__ void wraps(const float *a, float *out, unsigned n) {
  unsigned i = threadIdx.x;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (i + k < n)
      sum += a[i + k];
  out[i] = sum;
}
// Neither grows nor falls with k.
__global__ void square(const float *a, float *out, int n) {
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (k * k < n)
      sum += a[k + 2];
  out[threadIdx.x] = sum;
}
__global__ void modulo(const float *a, float *out, int n) {
  float sum = 0;
  for (int k = 0; k <= 9; ++k)
    if (k % 3 < n)
      sum += a[k];
  out[threadIdx.x] = sum;
}
// What is compared changes in the loop, or is read from memory that may.
__global__ void moving(const float *a, float *out, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k) {
    if (i + k < n)
      out[i] += a[i + k];
    i += 3;
  }
}
__global__ void loaded(const float *a, float *out, int *n) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k)
    if (i + k < *n)
      out[i] += a[i + k];
}
__shared__ int bound;
__global__ void shared(const float *a, float *out) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k)
    if (i + k < bound)
      out[i] += a[i + k];
}
// A narrow temporary wraps around.
__global__ void narrow(const float *a, float *out, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k) {
    signed char at = i + k;
    if (at < n)
      out[i] += a[i + k];
  }
}
// All threads of a block have to come to the barrier, of a warp to the shuffle.
__global__ void barrier(const float *a, float *out, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k) {
    if (i + k < n)
      out[i] += a[i + k];
    __syncthreads();
  }
}
__global__ void shuffle(const float *a, float *out, int n) {
  int i = threadIdx.x;
  float v = 0;
  for (int k = 0; k < 5; ++k) {
    if (i + k < n)
      v += a[i + k];
    v += __shfl_xor_sync(0xffffffffu, v, 1);
  }
  out[i] = v;
}
// The loop may end before the test is made for the last k; or may make none.
__global__ void leaves(const float *a, float *out, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k) {
    if (a[k] < 0)
      break;
    if (i + k < n)
      out[i] += a[i + k];
  }
}
__global__ void perhaps(const float *a, float *out, int n, int taps) {
  int i = threadIdx.x;
  for (int k = 0; k < taps; ++k)
    if (i + k < n)
      out[i] += a[i + k];
}
// The test is not made in each iteration: before it stands another.
__global__ void behind(const float *a, float *out, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k)
    if (a[k] > 0 && i + k < n)
      out[i] += a[i + k];
}
__global__ void under(const float *a, float *out, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k)
    if (a[k] > 0) {
      if (i + k < n)
        out[i] += a[i + k];
    }
}
__global__ void skipped(const float *a, float *out, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k) {
    if (a[k] > 0)
      continue;
    if (i + k < n)
      out[i] += a[i + k];
  }
}
// Made by a macro, or decided by a directive.
#define IF_INSIDE(v) if ((v) < n)
__global__ void made(const float *a, float *out, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k)
    IF_INSIDE(i + k)
      out[i] += a[i + k];
}
__global__ void decided(const float *a, float *out, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k)
#ifdef WIDE
    if (i + 2 * k < n)
#else
    if (i + k < n)
#endif
      out[i] += a[i + k];
}
// A function that may do anything.
__device__ float weight(int);
__global__ void calls(const float *a, float *out, int n) {
  int i = threadIdx.x;
  for (int k = 0; k < 5; ++k)
    if (i + k < n)
      out[i] += weight(k);
}
