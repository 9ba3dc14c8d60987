// RUN: cuda-l1-opt %s --rules='-*,pool-allocation' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,pool-allocation' --apply-all -- %fake_cuda | diff %t.cu -

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
  // CHECK: int device;
  // CHECK-NEXT: CUDA_CHECK(cudaGetDevice(&device));
  // CHECK-NEXT: cudaMemPool_t pool;
  // CHECK-NEXT: CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
  // CHECK-NEXT: unsigned long long keptBytes = ~0ull;
  // CHECK-NEXT: CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keptBytes));
  for (int batch = 1; batch < count; batch++) {
    float *dIn, *dOut;
    // CHECK: CUDA_CHECK(cudaMallocAsync((void **)&dIn, batch * sizeof(float), 0));
    // CHECK-NEXT: CUDA_CHECK(cudaMalloc((void **)&dOut, n * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&dIn, batch * sizeof(float)));
    CUDA_CHECK(cudaMalloc((void **)&dOut, n * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(dIn, data, batch * 4, cudaMemcpyHostToDevice));
    work<<<1, 1>>>(dIn, dOut);
    CUDA_CHECK(cudaMemcpy(result, dOut, 4, cudaMemcpyDeviceToHost));
    // CHECK: CUDA_CHECK(cudaFreeAsync(dIn, 0));
    // CHECK-NEXT: CUDA_CHECK(cudaFree(dOut));
    CUDA_CHECK(cudaFree(dIn));
    CUDA_CHECK(cudaFree(dOut));
  }
  // CHECK: CUDA_CHECK(cudaMemPoolTrimTo(pool, 0));
}

int main() {
  float data[64] = {}, result[64] = {};
  batches(data, result, 3, 64);
}
