// RUN: cuda-l1-opt %s --rules='-*,remove-sync' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,remove-sync' --apply-all -- %fake_cuda | diff %t.cu -
// RUN: cuda-l1-opt %s --rules='-*,remove-sync' --list-sites -- %fake_cuda | FileCheck --check-prefix=SITES %s

#include <libc.h>

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess) {                                                  \
      fprintf(nullptr, "%s\n", cudaGetErrorString(err));                       \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static inline void check(cudaError_t code, int line, bool leave = true) {
  if (code != cudaSuccess) {
    fprintf(nullptr, "%d: %s\n", line, cudaGetErrorString(code));
    if (leave)
      exit(code);
  }
}

__global__ void step(float *a, int k) { a[threadIdx.x + k] += a[threadIdx.x]; }

void allInALoop(float *result) {
  // CHECK-LABEL: void allInALoop
  float *a;
  CUDA_CHECK(cudaMalloc((void **)&a, 512));
  for (int k = 0; k < 64; k++) {
    step<<<1, 32>>>(a, k);
    CUDA_CHECK(cudaDeviceSynchronize());
    step<<<1, 64>>>(a, k);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  CUDA_CHECK(cudaMemcpy(result, a, 512, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(a));
  // SITES: remove-sync.cu:[[@LINE-7]]: remove-sync [exact]
  // SITES-NEXT: on the host: do not wait for the GPU at 2 places in the loop at line [[@LINE-10]]
  // SITES: because errors are checked at that wait
  // CHECK: for (int k = 0; k < 64; k++) {
  // CHECK-NEXT: step<<<1, 32>>>(a, k);
  // CHECK-NEXT: step<<<1, 64>>>(a, k);
  // CHECK-NEXT: CUDA_CHECK(cudaGetLastError());
  // CHECK-NEXT: }
  // CHECK-NEXT: CUDA_CHECK(cudaMemcpy(
}

// The clock tells: one wait moves to before it is read.
void timedFromOutside(float *result) {
  // CHECK-LABEL: void timedFromOutside
  float *a;
  cudaMalloc((void **)&a, 512);
  long start = clock();
  for (int stage = 1; stage < 8; stage *= 2)
    for (int k = stage; k > 0; k /= 2) {
      step<<<1, 32>>>(a, k);
      check(cudaDeviceSynchronize(), __LINE__);
    }
  long stop = clock();
  check(cudaMemcpy(result, a, 512, cudaMemcpyDeviceToHost), __LINE__);
  result[0] = stop - start;
  // CHECK: for (int k = stage; k > 0; k /= 2) {
  // CHECK-NEXT: step<<<1, 32>>>(a, k);
  // CHECK-NEXT: }
  // CHECK-NEXT: check(cudaDeviceSynchronize(), __LINE__);
  // CHECK-NEXT: long stop = clock();
}

// The results are looked at in each iteration: that wait stays.
void onePartOnly(float *result) {
  // CHECK-LABEL: void onePartOnly
  float *a;
  cudaMalloc((void **)&a, 512);
  int k = 0;
  while (result[0] < 1) {
    step<<<1, 32>>>(a, k++);
    cudaDeviceSynchronize();
    step<<<1, 32>>>(a, k++);
    cudaStreamSynchronize(0);
    cudaMemcpy(result, a, 512, cudaMemcpyDeviceToHost);
  }
  // CHECK: while
  // CHECK-NEXT: step<<<1, 32>>>(a, k++);
  // CHECK-NEXT: step<<<1, 32>>>(a, k++);
  // CHECK-NEXT: cudaMemcpy(
}

// No loop, and an unbraced one.
void alone(float *result) {
  // CHECK-LABEL: void alone
  float *a;
  cudaMalloc((void **)&a, 512);
  step<<<1, 32>>>(a, 0);
  cudaDeviceSynchronize();
  cudaMemcpy(result, a, 512, cudaMemcpyDeviceToHost);
  // CHECK: step<<<1, 32>>>(a, 0);
  // CHECK-NEXT: cudaMemcpy(
}

int main() {
  float result[128] = {};
  allInALoop(result);
  timedFromOutside(result);
  onePartOnly(result);
  alone(result);
}
