// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,warp-per-block' --apply-all --needs-check --fp-class=approximate -- %fake_cuda | diff %s -

#define TREE(s)                                                                                    \
  for (int d = 128; d > 0; d /= 2) {                                                               \
    if (t < d)                                                                                     \
      s[t] += s[t + d];                                                                            \
    __syncthreads();                                                                               \
  }

// One block more than the elements need: it writes a zero.
__global__ void oneMore(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = s[0];
}

// The number of blocks is not made again where the count has changed.
__global__ void stale(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = s[0];
}

// All threads use the result.
__global__ void allUse(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (i < n)
    out[i] = s[0];
}

// Each thread leaves something behind.
__global__ void writes(const float *in, float *out, float *copy, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i < n)
    copy[i] = 1.0f;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = s[0];
}

// The grid's size decides what is read.
__global__ void strides(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + t; i < n; i += 256 * gridDim.x)
    sum += in[i];
  s[t] = sum;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = s[0];
}

// A maximum of numbers that compare with nothing has no value to begin with.
__global__ void greatest(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d)
      s[t] = fmaxf(s[t], s[t + d]);
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = s[0];
}

// What the last thread uses depends on the thread.
__global__ void remembers(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0)
    out[i] = s[0];
}

// The text is a macro's.
__global__ void byMacro(const float *in, float *out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  TREE(s)
  if (t == 0)
    out[blockIdx.x] = s[0] + blockDim.y;
}

int main(int n, char **) {
  float *a, *b, *c;
  oneMore<<<n / 256 + 1, 256>>>(a, b, n);
  int left = n, blocks = (left + 255) / 256;
  while (left > 1) {
    stale<<<blocks, 256>>>(a, b, left);
    left = (left + 255) / 256;
  }
  allUse<<<(n + 255) / 256, 256>>>(a, b, n);
  writes<<<(n + 255) / 256, 256>>>(a, b, c, n);
  strides<<<(n + 255) / 256, 256>>>(a, b, n);
  greatest<<<(n + 255) / 256, 256>>>(a, b, n);
  remembers<<<(n + 255) / 256, 256>>>(a, b, n);
  byMacro<<<(n + 255) / 256, 256>>>(a, b, n);
  return 0;
}
