// Nothing in this file is a site: each kernel has one trait that forbids it.
// RUN: cuda-l1-opt %s --rules='-*,transpose-through-shared' --apply-all --needs-check -- %fake_cuda | diff %s -

#include <stdio.h>

float *found();
__device__ float mine() { return threadIdx.x; }
#define STORE(v) out[x * h + y] = (v) + in[y * w + x]

// In place: other threads store what is loaded.
__global__ void inPlace(float *a, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    a[x * h + y] = a[y * w + x];
}

// The buffers may be one.
__global__ void unknownBuffers(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}

// They are one at one of two launches.
__global__ void onceInPlace(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}

// It reads what a neighbour writes.
__global__ void neighbour(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x] + out[x * h];
}

// The load is made where a value in memory says so: elsewhere it may fault.
__global__ void masked(const float *in, float *out, const int *mask, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    if (mask[x])
      out[x * h + y] = in[y * w + x];
}

// Row and column are compared.
__global__ void lower(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h && x <= y)
    out[x * h + y] = in[y * w + x];
}

// A thread returns for another reason.
__global__ void leaves(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  if ((x + y) % 2)
    return;
  out[x * h + y] = in[y * w + x];
}

// Both follow one axis.
__global__ void copies(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * w + x] = in[y * w + x];
}

// Two columns lie close together: nothing is gained.
__global__ void pairs(const float *in, float *out, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 && y < h)
    out[x * h + y] = in[y * 2 + x];
}

// A store along each axis.
__global__ void bothWays(const float *in, float *out, float *copy, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    out[x * h + y] = in[y * w + x];
    copy[y * w + x] = in[y * w + x];
  }
}

// The thread's own index comes in.
__global__ void indexed(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x] + threadIdx.x;
}

// So it does in a function.
__global__ void indexedFarOff(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x] + mine();
}

// A coordinate moves on.
__global__ void moves(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    float v = in[y * w + x];
    x += 1;
    out[x * h + y] = v;
  }
}

// What is loaded depends on a variable that changes.
__global__ void stepped(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int from = 0;
  if (x < w && y < h) {
    from += w;
    out[x * h + y] = in[from + y * w + x];
  }
}

// A barrier.
__global__ void waits(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  __syncthreads();
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}

// Shared memory of its own.
__global__ void owns(const float *in, float *out, int w, int h) {
  __shared__ float last;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = last = in[y * w + x];
}

// It prints.
__global__ void prints(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) {
    out[x * h + y] = in[y * w + x];
    printf("%d", x);
  }
}

// The load is part of what a macro makes.
__global__ void macros(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    STORE(1.0f);
}

// Another configuration does something else.
__global__ void configured(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
#if FLIP
    out[x * h + y] = in[(h - 1 - y) * w + x];
#else
    out[x * h + y] = in[y * w + x];
#endif
}

// Volatile memory.
__global__ void polls(const volatile float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}

// The grid is not seen to cover the elements.
__global__ void partly(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}

// The count grows after the grid is made for it.
__global__ void stale(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}

// The launch asks for dynamic shared memory.
__global__ void dynamic(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}

// Its address is taken: there may be other launches.
__global__ void pointedTo(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[x * h + y] = in[y * w + x];
}

int main(int argc, char **argv) {
  int w = argc * 100, h = argc * 70;
  float *a, *b, *c;
  int *m;
  cudaMalloc(&a, w * h * 4);
  cudaMalloc(&b, w * h * 4);
  cudaMalloc(&c, w * h * 4);
  cudaMalloc(&m, w * 4);
  dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
  inPlace<<<grid, block>>>(a, w, h);
  unknownBuffers<<<grid, block>>>(found(), found(), w, h);
  onceInPlace<<<grid, block>>>(a, b, w, h);
  onceInPlace<<<grid, block>>>(a, a, w, h);
  neighbour<<<grid, block>>>(a, b, w, h);
  masked<<<grid, block>>>(a, b, m, w, h);
  lower<<<grid, block>>>(a, b, w, h);
  leaves<<<grid, block>>>(a, b, w, h);
  copies<<<grid, block>>>(a, b, w, h);
  pairs<<<dim3(1, (h + 7) / 8), block>>>(a, b, h);
  bothWays<<<grid, block>>>(a, b, c, w, h);
  indexed<<<grid, block>>>(a, b, w, h);
  indexedFarOff<<<grid, block>>>(a, b, w, h);
  moves<<<grid, block>>>(a, b, w, h);
  stepped<<<grid, block>>>(a, b, w, h);
  waits<<<grid, block>>>(a, b, w, h);
  owns<<<grid, block>>>(a, b, w, h);
  prints<<<grid, block>>>(a, b, w, h);
  macros<<<grid, block>>>(a, b, w, h);
  configured<<<grid, block>>>(a, b, w, h);
  polls<<<grid, block>>>(a, b, w, h);
  partly<<<dim3(w / 32, h / 8 - 1), block>>>(a, b, w, h);
  dynamic<<<grid, block, 1024>>>(a, b, w, h);
  void (*kernel)(const float *, float *, int, int) = pointedTo;
  kernel<<<grid, block>>>(a, b, w, h);
  pointedTo<<<grid, block>>>(a, b, w, h);
  int blocks = (w + 31) / 32;
  w += 32;
  stale<<<dim3(2 * blocks, (h + 7) / 8), dim3(16, 8)>>>(a, b, w, h);
}
