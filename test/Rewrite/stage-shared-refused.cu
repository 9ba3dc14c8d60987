// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,stage-shared' --apply-all --needs-check -- %fake_cuda | diff %s -

#include <stdio.h>

float *found();

// In place: neighbours store what is read.
__global__ void inPlace(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

// The buffers may be one.
__global__ void unknown(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

// The kernel stores into what it reads.
__global__ void stores(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += out[y * w + x + k];
  out[y * w + x] = sum;
}

// Threads do not read the same elements: the stride is 2.
__global__ void strided(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + 2 * x + k];
  out[y * w + x] = sum;
}

// The offset counts twice.
__global__ void dilated(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + 2 * k];
  out[y * w + x] = sum;
}

// The coordinate comes in by itself.
__global__ void skewed(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k + x];
  out[y * w + x] = sum;
}

// A condition speaks of the thread, not of the element.
__global__ void interior(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  if (x >= 2 && x < w - 2)
    for (int k = -2; k <= 2; ++k)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

// A condition in memory.
__global__ void masked(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (in[0] > 0)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

// The radius is not known.
__global__ void wide(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -w; k <= w; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

// The loop leaves early.
__global__ void leaves(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k) {
    if (sum > 9)
      break;
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  }
  out[y * w + x] = sum;
}

// Some threads return before they read.
__global__ void returns(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  if (w > 5 && x == 3)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

// A loop around that is over something else.
__global__ void repeated(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int c = 0; c < 4; ++c)
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

// No bounds: a block loads for threads that there are not.
__global__ void unbounded(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

// A barrier of its own.
__global__ void waits(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  __syncthreads();
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

// The index is read.
__global__ void gathers(const float *in, float *out, const int *at, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    sum += in[at[x + k]];
  out[y * w + x] = sum;
}

// The base moves.
__global__ void moved(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += (in + y)[x + k];
  out[y * w + x] = sum;
}

// It prints.
__global__ void prints(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
  printf("%d", x);
}

// Another configuration does something else.
__global__ void configured(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
#if NARROW
  for (int k = -1; k <= 1; ++k)
#else
  for (int k = -2; k <= 2; ++k)
#endif
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

// Clamped, and a block starts where there is no element.
__global__ void empty(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    sum += in[y * w + min(max(x + k, 0), w - 1)];
  out[y * w + x] = sum;
}

// Left of the first column an unsigned number is large.
__global__ void isUnsigned(const float *in, float *out, int w, int h) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    sum += in[y * w + min(max((int)(x + k), 0), w - 1)];
  out[y * w + x] = sum;
}

// The grid is not seen to cover the elements.
__global__ void partly(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

// Launches differ in their blocks.
__global__ void blocks(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float sum = 0;
  for (int k = -2; k <= 2; ++k)
    if (x + k >= 0 && x + k < w)
      sum += in[y * w + x + k];
  out[y * w + x] = sum;
}

int main(int argc, char **argv) {
  int w = argc * 100, h = argc * 70;
  float *a, *b;
  int *at;
  cudaMalloc(&a, w * h * 8);
  cudaMalloc(&b, w * h * 8);
  cudaMalloc(&at, w * h * 8);
  dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
  inPlace<<<grid, block>>>(a, a, w, h);
  unknown<<<grid, block>>>(found(), found(), w, h);
  stores<<<grid, block>>>(a, b, w, h);
  strided<<<grid, block>>>(a, b, w, h);
  dilated<<<grid, block>>>(a, b, w, h);
  skewed<<<grid, block>>>(a, b, w, h);
  interior<<<grid, block>>>(a, b, w, h);
  masked<<<grid, block>>>(a, b, w, h);
  wide<<<grid, block>>>(a, b, w, h);
  leaves<<<grid, block>>>(a, b, w, h);
  returns<<<grid, block>>>(a, b, w, h);
  repeated<<<grid, block>>>(a, b, w, h);
  unbounded<<<grid, block>>>(a, b, w, h);
  waits<<<grid, block>>>(a, b, w, h);
  gathers<<<grid, block>>>(a, b, at, w, h);
  moved<<<grid, block>>>(a, b, w, h);
  prints<<<grid, block>>>(a, b, w, h);
  configured<<<grid, block>>>(a, b, w, h);
  empty<<<dim3(w / 32 + 1, h / 8 + 1), block>>>(a, b, w, h);
  isUnsigned<<<grid, block>>>(a, b, w, h);
  partly<<<dim3(w / 32, h / 8), block>>>(a, b, w, h);
  blocks<<<grid, block>>>(a, b, w, h);
  blocks<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, b, w, h);
}
