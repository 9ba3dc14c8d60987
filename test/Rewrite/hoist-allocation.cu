// RUN: cuda-l1-opt %s --rules='-*,hoist-allocation' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,hoist-allocation' --apply-all -- %fake_cuda | diff %t.cu -

#include <libc.h>
#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess)                                                    \
      exit(1);                                                                 \
  } while (0)

__global__ void work(float *in, float *out) { out[threadIdx.x] = in[threadIdx.x]; }

void batches(float *data, float *result, int count, int n) {
  // CHECK-LABEL: void batches
  for (int batch = 0; batch < count; batch++) {
    float *dIn, *dOut;
    CUDA_CHECK(cudaMalloc((void **)&dIn, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&dOut, batch * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(dIn, data, n * 4, cudaMemcpyHostToDevice));
    work<<<1, 32>>>(dIn, dOut);
    CUDA_CHECK(cudaMemcpy(result, dOut, 64, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(dIn));
    CUDA_CHECK(cudaFree(dOut));
  }
  // CHECK: float *dIn, *dOut;
  // CHECK-NEXT: CUDA_CHECK(cudaMalloc((void **)&dIn, n * sizeof(float)));
  // CHECK-NEXT: for (int batch = 0; batch < count; batch++) {
  // CHECK-NEXT: CUDA_CHECK(cudaMalloc((void **)&dOut, batch * sizeof(float)));
  // CHECK-NEXT: CUDA_CHECK(cudaMemcpy(dIn,
  // CHECK-NEXT: work<<<1, 32>>>(dIn, dOut);
  // CHECK-NEXT: CUDA_CHECK(cudaMemcpy(result,
  // CHECK-NEXT: CUDA_CHECK(cudaFree(dOut));
  // CHECK-NEXT: }
  // CHECK-NEXT: CUDA_CHECK(cudaFree(dIn));
}

void unchecked(float *data, int n) {
  // CHECK-LABEL: void unchecked
  float *d;
  int k = 0;
  while (k < n) {
    cudaMalloc((void **)&d, 256);
    cudaMemcpy(d, data, 256, cudaMemcpyHostToDevice);
    work<<<1, 32>>>(d, d);
    cudaMemcpy(data, d, 256, cudaMemcpyDeviceToHost);
    cudaFree(d);
    k++;
  }
  // CHECK: cudaMalloc((void **)&d, 256);
  // CHECK-NEXT: while (k < n) {
  // CHECK-NEXT: cudaMemcpy(d
  // CHECK: k++;
  // CHECK-NEXT: }
  // CHECK-NEXT: cudaFree(d);
}

int main() {
  float data[64] = {}, result[64] = {};
  batches(data, result, 3, 64);
  unchecked(data, 3);
}
