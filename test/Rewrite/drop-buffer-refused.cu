// Buffers that something else may read, or that hold more than one thread needs.
// RUN: cuda-l1-opt %s --rules='-*,drop-buffer' --list-sites --fp-class=reduced-precision -- %fake_cuda > %t.sites
// RUN: FileCheck %s --input-file=%t.sites --implicit-check-not='drop-buffer:'
// Only the buffer of the first launch may go.
// CHECK: drop-buffer-refused.cu:[[#]]: drop-buffer:only [exact]

#include <libc.h>

#define CHAIN(NAME)                                                            \
  __global__ void NAME(const float *a, float *r, float *out, int n) {          \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    if (i < n) {                                                               \
      r[i] = a[i] + 1;                                                         \
      out[i] = r[i] / 2;                                                       \
    }                                                                          \
  }

__global__ void fine(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
// What an earlier launch left in it is read.
__global__ void carries(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = r[i] / 2;
    r[i] = a[i] + 1;
  }
}
__global__ void sometimes(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    if (a[i] > 0)
      r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
// The loop may not run.
__global__ void inLoop(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int k = 0; k < n; k++)
      r[i] = a[i] + k;
    out[i] = r[i] / 2;
  }
}
// Other bounds: some threads read what they did not write.
__global__ void bounds(const float *a, float *r, float *out, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] = a[i] + 1;
  if (i < m)
    out[i] = r[i] / 2;
}
// A neighbour's element.
__global__ void neighbour(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) {
    r[i] = a[i] + 1;
    out[i] = r[i + 1] / 2;
  }
}
// Two elements a thread.
__global__ void pairs(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[2 * i] = a[i] + 1;
    r[2 * i + 1] = a[i] + 2;
    out[i] = r[2 * i] / r[2 * i + 1];
  }
}
__global__ void volatileValue(const float *a, volatile float *r, float *out,
                              int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
// The address goes elsewhere.
__global__ void address(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    float *at = &r[i];
    out[i] = *at / 2;
  }
}
template <typename T>
__global__ void generic(const T *a, T *r, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
__global__ void declared(const float *a, float *r, float *out, int n);
CHAIN(inMacro)
__global__ void copied(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
__global__ void readLater(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
__global__ void passedOn(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
__global__ void shared(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
__global__ void twice(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
__global__ void part(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
__global__ void filled(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
__global__ void overlap(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
__global__ void sums(const float *r, float *out) {
  if (threadIdx.x == 0)
    out[0] = r[0] + r[1];
}
// All threads along y share an element.
__global__ void rows(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
__global__ void declared(const float *a, float *r, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    r[i] = a[i] + 1;
    out[i] = r[i] / 2;
  }
}
void report(float *p);
void report(float *p) { cudaMemset(p, 0, 4); }

int main() {
  int n = 1000;
  float *a, *out, *only;
  float *r1, *r2, *r3, *r4, *r5, *r6, *r7, *r8, *r9, *r10, *r11, *r12, *r13,
      *r14, *r15, *r16, *r17, *r18, *r20;
  cudaMalloc((void **)&a, 4000);
  cudaMalloc((void **)&out, 4000);
  cudaMalloc((void **)&only, 4000);
  cudaMalloc((void **)&r1, 4000);
  cudaMalloc((void **)&r2, 4000);
  cudaMalloc((void **)&r3, 4000);
  cudaMalloc((void **)&r4, 4000);
  cudaMalloc((void **)&r5, 4000);
  cudaMalloc((void **)&r6, 8000);
  cudaMalloc((void **)&r7, 4000);
  cudaMalloc((void **)&r8, 4000);
  cudaMalloc((void **)&r9, 4000);
  cudaMalloc((void **)&r10, 4000);
  cudaMalloc((void **)&r11, 4000);
  cudaMalloc((void **)&r12, 4000);
  cudaMalloc((void **)&r13, 4000);
  cudaMalloc((void **)&r14, 4000);
  cudaMalloc((void **)&r15, 4000);
  cudaMalloc((void **)&r16, 4000);
  cudaMalloc((void **)&r17, 4000);
  cudaMalloc((void **)&r18, 4000);
  cudaMalloc((void **)&r20, 4000);
  static float host[1000];

  fine<<<8, 128>>>(a, only, out, n);
  carries<<<8, 128>>>(a, r1, out, n);
  sometimes<<<8, 128>>>(a, r2, out, n);
  inLoop<<<8, 128>>>(a, r3, out, n);
  bounds<<<8, 128>>>(a, r4, out, n, 2 * n);
  neighbour<<<8, 128>>>(a, r5, out, n);
  pairs<<<8, 128>>>(a, r6, out, n);
  volatileValue<<<8, 128>>>(a, r7, out, n);
  address<<<8, 128>>>(a, r8, out, n);
  generic<<<8, 128>>>(a, r9, out, n);
  inMacro<<<8, 128>>>(a, r10, out, n);
  rows<<<dim3(8, 2), 128>>>(a, r11, out, n);
  // The host, or another kernel, reads it.
  copied<<<8, 128>>>(a, r12, out, n);
  cudaMemcpy(host, r12, 4000, cudaMemcpyDeviceToHost);
  for (int k = 0; k < 2; k++) {
    sums<<<1, 32>>>(r13, out);
    readLater<<<8, 128>>>(a, r13, out, n);
  }
  passedOn<<<8, 128>>>(a, r14, out, n);
  report(r14);
  float *same = r15;
  shared<<<8, 128>>>(a, r15, out, n);
  cudaMemcpy(host, same, 4000, cudaMemcpyDeviceToHost);
  // Launched twice, a part of a buffer, one that is filled.
  twice<<<8, 128>>>(a, r16, out, n);
  twice<<<8, 128>>>(out, r16, a, n);
  part<<<7, 128>>>(a, r17 + 8, out, n - 100);
  cudaMemset(r18, 0, 4000);
  filled<<<8, 128>>>(a, r18, out, n);
  // One buffer under two names.
  overlap<<<8, 128>>>(r20, r20, out, n);
  declared<<<8, 128>>>(a, r1, out, n);
  cudaMemcpy(host, out, 4000, cudaMemcpyDeviceToHost);
  return 0;
}
