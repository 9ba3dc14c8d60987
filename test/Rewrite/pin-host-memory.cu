// RUN: cuda-l1-opt %s --rules='-*,pin-host-memory' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,pin-host-memory' --apply-all -- %fake_cuda | diff %t.cu -

#include <libc.h>
#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess)                                                    \
      exit(1);                                                                 \
  } while (0)

__global__ void step(float *a) { a[threadIdx.x] += 1; }

float sum(const float *v, int n) {
  float s = 0;
  for (int i = 0; i < n; i++)
    s += v[i];
  return s;
}

int main() {
  int n = 64, rounds = 8;
  // CHECK: float *in;
  // CHECK-NEXT: CUDA_CHECK(cudaMallocHost((void **)&in, n * sizeof(float)));
  float *in = (float *)malloc(n * sizeof(float));
  // CHECK: float *out;
  // CHECK-NEXT: CUDA_CHECK(cudaMallocHost((void **)&out, n * sizeof(*out)));
  float *out = new float[n];
  // CHECK: float *tested = nullptr;
  // CHECK-NEXT: CUDA_CHECK(cudaMallocHost((void **)&tested, 256));
  float *tested = (float *)malloc(256);
  if (!tested)
    return 1;
  float *d;
  CUDA_CHECK(cudaMalloc((void **)&d, n * sizeof(float)));
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < n; i++)
      in[i] = i + r;
    CUDA_CHECK(cudaMemcpy(d, in, n * sizeof(float), cudaMemcpyHostToDevice));
    step<<<1, 64>>>(d);
    CUDA_CHECK(cudaMemcpy(out, d, n * sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(tested, d, 256, cudaMemcpyDeviceToHost));
    printf("%f %f\n", sum(out, n), tested[1]);
  }
  CUDA_CHECK(cudaFree(d));
  // CHECK: CUDA_CHECK(cudaFreeHost(in));
  // CHECK: CUDA_CHECK(cudaFreeHost(out));
  // CHECK: CUDA_CHECK(cudaFreeHost(tested));
  free(in);
  delete[] out;
  free(tested);
  return 0;
}
