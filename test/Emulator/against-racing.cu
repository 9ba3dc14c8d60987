// A race that the original has by its source is no fault of a changed version:
// not where the types of parameters changed, and not where the optimiser took
// the race out of the original only.
// REQUIRES: emulator
// RUN: sed 's/int \*from/const int *from/' %s > %t.const.cu
// RUN: %emulate --against %s %t.const.cu
// RUN: sed 's,/[*]kept[*]/,if (to[i] == 123) return;,' %s > %t.kept.cu
// RUN: %emulate --against %s %t.kept.cu
//
// In a function that has none it is.
// RUN: sed 's,/[*]sound[*]/,if (to[0] < 1000),' %s > %t.new.cu
// RUN: not %emulate --against %s %t.new.cu | FileCheck %s
// CHECK: a fault that the original does not have: {{.*}}race

__global__ void races(int *to, int *from, int n) {
  int i = threadIdx.x, v = 7;
  for (int k = 0; k < n; ++k)
    v += (from[n - 1] + v) / 7; // hoisted, to no line
  to[i] += v;
}

__global__ void hides(int *to, int *from) {
  int i = threadIdx.x;
  to[i] = from[0] + 1;
  /*kept*/ to[i] = 7;
}

__global__ void sound(int *to) {
  int i = threadIdx.x;
  /*sound*/ to[i] = i;
}

int main() {
  int *p, *q;
  cudaMalloc(&p, 128);
  cudaMalloc(&q, 128);
  cudaMemset(p, 0, 128);
  cudaMemset(q, 0, 128);
  races<<<1, 32>>>(p, p, 8);
  hides<<<1, 32>>>(q, q);
  sound<<<1, 32>>>(q);
  cudaFree(p);
  cudaFree(q);
}
