// Buffers whose release is the only wait, or that are more than buffers of a
// loop.
// RUN: cuda-l1-opt %s --rules='-*,pool-allocation' --list-sites -- %fake_cuda > %t.sites
// RUN: FileCheck %s --input-file=%t.sites --implicit-check-not='pool-allocation:'
// CHECK: pool-allocation-refused.cu:[[#]]: pool-allocation:fine [exact]
#include <libc.h>
__global__ void work(float *a) { a[threadIdx.x] = threadIdx.x; }

void copiesBack(float *result, int n) {
  for (int i = 1; i < n; i++) {
    float *fine;
    cudaMalloc((void **)&fine, 64 * i);
    work<<<1, 16>>>(fine);
    cudaMemcpy(result, fine, 64, cudaMemcpyDeviceToHost);
    cudaFree(fine);
  }
}
// The kernel's time is taken; cudaFree waits for it.
void times(int n) {
  for (int i = 1; i < n; i++) {
    float *timed;
    long start = clock();
    cudaMalloc((void **)&timed, 64 * i);
    work<<<1, 16>>>(timed);
    cudaFree(timed);
    printf("%ld\n", clock() - start);
  }
}
// For hoist-allocation.
void constant(float *result, int n) {
  for (int i = 1; i < n; i++) {
    float *same;
    cudaMalloc((void **)&same, 64);
    work<<<1, 16>>>(same);
    cudaMemcpy(result, same, 64, cudaMemcpyDeviceToHost);
    cudaFree(same);
  }
}
// Kept, not freed in the body, or freed in one of two ways.
void odd(float **all, float *result, int n) {
  float *last;
  for (int i = 1; i < n; i++) {
    float *stored, *twice;
    cudaMalloc((void **)&stored, 64 * i);
    cudaMalloc((void **)&last, 64 * i);
    work<<<1, 16>>>(stored);
    work<<<1, 16>>>(last);
    all[i] = stored;
    cudaMemcpy(result, last, 64, cudaMemcpyDeviceToHost);
    cudaFree(stored);
  }
  cudaFree(last);
  for (int i = 1; i < n; i++) {
    float *some;
    cudaMalloc((void **)&some, 64 * i);
    work<<<1, 16>>>(some);
    cudaMemcpy(result, some, 64, cudaMemcpyDeviceToHost);
    if (i % 2)
      cudaFree(some);
  }
}
int main() {
  float *all[8], result[64];
  copiesBack(result, 3);
  times(3);
  constant(result, 3);
  odd(all, result, 3);
}
