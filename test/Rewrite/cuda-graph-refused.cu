// Loops whose iterations do not all ask for the same work, or do more than ask.
// RUN: cuda-l1-opt %s --rules='-*,cuda-graph' --list-sites -- %fake_cuda > %t.sites
// RUN: FileCheck %s --input-file=%t.sites --implicit-check-not='cuda-graph {'
// Only the loop of none() may have a graph.
// CHECK: cuda-graph-refused.cu:17: cuda-graph {iterations=10}

#include <libc.h>

__global__ void step(float *a, int k) { a[threadIdx.x + k] += a[threadIdx.x]; }
__global__ void move(float *in, float *out) { out[threadIdx.x] = in[threadIdx.x + 1]; }

int sum;
int next() { return sum++; }

void none(float *a, int n) {
  // The counter's start and bound are read once.
  for (int i = 1; i < n; i++)
    step<<<1, 32>>>(a, n);
}
// An argument, a shape or a scalar changes with the iteration.
void argument(float *a, int n) {
  for (int i = 0; i < n; i++)
    step<<<1, 32>>>(a, i);
}
void shape(float *a, int n) {
  for (int i = 0; i < n; i++)
    step<<<n - i, 32>>>(a, 1);
}
void scalar(float *a, int n) {
  int k = 0;
  for (int i = 0; i < n; i++) {
    step<<<1, 32>>>(a, k);
    k += 2;
  }
}
void offset(float *a, int n) {
  for (int i = 0; i < n; i++) {
    step<<<1, 32>>>(a, 1);
    a++;
  }
}
void bound(float *a, int n) {
  for (int i = 0; i < n; i++) {
    step<<<1, 32>>>(a, 1);
    n--;
  }
}
void effect(float *a, int n) {
  for (int i = 0; i < n; i++)
    step<<<1, 32>>>(a, next());
}
// The pointer that is left behind never comes back.
void shifts(float *a, float *b, float *c, int n) {
  for (int i = 0; i < n; i++) {
    move<<<1, 32>>>(a, b);
    a = b;
    b = c;
  }
}
// The host waits, reads, prints or leaves.
void waits(float *a, int n) {
  for (int i = 0; i < n; i++) {
    step<<<1, 32>>>(a, 1);
    cudaDeviceSynchronize();
  }
}
void reads(float *a, float *result, int n) {
  for (int i = 0; i < n; i++) {
    step<<<1, 32>>>(a, 1);
    cudaMemcpy(result, a, 4, cudaMemcpyDeviceToHost);
  }
}
void uploads(float *a, float *result, int n) {
  for (int i = 0; i < n; i++) {
    cudaMemcpy(a, result, 4, cudaMemcpyHostToDevice);
    step<<<1, 32>>>(a, 1);
  }
}
void prints(float *a, int n) {
  for (int i = 0; i < n; i++) {
    step<<<1, 32>>>(a, 1);
    printf("%d\n", n);
  }
}
void leaves(float *a, int n) {
  for (int i = 0; i < n; i++) {
    step<<<1, 32>>>(a, 1);
    if (n == 7)
      break;
  }
}
void conditional(float *a, int n) {
  for (int i = 0; i < n; i++)
    if (i % 2)
      step<<<1, 32>>>(a, 1);
}
void downwards(float *a, int n) {
  for (int i = n; i > 0; i--)
    step<<<1, 32>>>(a, 1);
}
void wraps(float *a, unsigned n) {
  for (unsigned i = 1; i < n; i++)
    step<<<1, 32>>>(a, 1);
}
// Too few for a graph to pay.
void few(float *a) {
  for (int i = 0; i < 7; i++)
    step<<<1, 32>>>(a, 1);
}
// A loop that times one kernel on the same data again and again.
void repeats(float *a, float *b, int n) {
  dim3 grid(4), block(32);
  for (int run = 0; run < n; run++)
    move<<<grid, block>>>(a, b);
}
// A loop in a loop would record anew each time.
void nested(float *a, int n) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      step<<<1, 32>>>(a, 1);
}

int main() {
  float *a, *b, *c, result[4];
  cudaMalloc((void **)&a, 512);
  cudaMalloc((void **)&b, 512);
  cudaMalloc((void **)&c, 512);
  none(a, 100);
  argument(a, 100);
  shape(a, 100);
  scalar(a, 100);
  offset(a, 100);
  bound(a, 100);
  effect(a, 100);
  shifts(a, b, c, 100);
  waits(a, 100);
  reads(a, result, 100);
  uploads(a, result, 100);
  prints(a, 100);
  leaves(a, 100);
  conditional(a, 100);
  downwards(a, 100);
  wraps(a, 100);
  few(a);
  repeats(a, b, 100);
  nested(a, 100);
}
