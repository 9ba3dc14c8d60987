// RUN: cuda-l1-opt %s --rules='-*,keep-on-device' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// A second run changes nothing.
// RUN: cuda-l1-opt %t.cu --rules='-*,keep-on-device' --apply-all -- %fake_cuda | diff %t.cu -

#include <libc.h>
#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess)                                                    \
      exit(1);                                                                 \
  } while (0)

__global__ void step(float *a) { a[threadIdx.x] += 1; }
__global__ void blend(const float *w, const float *in, float *out) {
  out[threadIdx.x] = w[threadIdx.x] * in[threadIdx.x] + in[0];
}

// The array belongs to the caller: the loop keeps away from all memory.
void simulate(float *cells, int steps, size_t bytes) {
  float *dCells;
  CUDA_CHECK(cudaMalloc((void **)&dCells, bytes));
  for (int s = 0; s < steps; s++) {
    CUDA_CHECK(cudaMemcpy(dCells, cells, bytes, cudaMemcpyHostToDevice));
    step<<<1, 64>>>(dCells);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(cells, dCells, bytes, cudaMemcpyDeviceToHost));
  }
  CUDA_CHECK(cudaFree(dCells));
  // CHECK-LABEL: void simulate
  // CHECK: if (steps > 0)
  // CHECK-NEXT: CUDA_CHECK(cudaMemcpy(dCells, cells, bytes, cudaMemcpyHostToDevice));
  // CHECK-NEXT: for (int s = 0; s < steps; s++) {
  // CHECK-NEXT: step<<<1, 64>>>(dCells);
  // CHECK-NEXT: CUDA_CHECK(cudaDeviceSynchronize());
  // CHECK-NEXT: }
  // CHECK-NEXT: if (steps > 0)
  // CHECK-NEXT: CUDA_CHECK(cudaMemcpy(cells, dCells, bytes, cudaMemcpyDeviceToHost));
}

// Weights that nothing changes, among data that changes.
void batches(const float *data, float *result) {
  float weights[64], *dWeights, *dIn, *dOut;
  for (int i = 0; i < 64; i++)
    weights[i] = i;
  cudaMalloc((void **)&dWeights, sizeof(weights));
  cudaMalloc((void **)&dIn, 256);
  cudaMalloc((void **)&dOut, 256);
  for (int b = 0; b < 8; ++b) {
    cudaMemcpy(dWeights, weights, sizeof(weights), cudaMemcpyHostToDevice);
    cudaMemcpy(dIn, data + 64 * b, 256, cudaMemcpyHostToDevice);
    blend<<<1, 64>>>(dWeights, dIn, dOut);
    cudaMemcpy(result + 64 * b, dOut, 256, cudaMemcpyDeviceToHost);
  }
  // CHECK-LABEL: void batches
  // CHECK: cudaMemcpy(dWeights, weights, sizeof(weights), cudaMemcpyHostToDevice);
  // CHECK-NEXT: for (int b = 0; b < 8; ++b) {
  // CHECK-NEXT: cudaMemcpy(dIn, data + 64 * b
  // CHECK-NEXT: blend
}

// It goes through the host from one buffer to another.
void passes(int n) {
  float *host = (float *)malloc(256), *w, *in, *out;
  cudaMalloc((void **)&w, 256);
  cudaMalloc((void **)&in, 256);
  cudaMalloc((void **)&out, 256);
  for (int i = 0; i < 64; i++)
    host[i] = 0;
  for (int k = 0; k <= n; k++) {
    CUDA_CHECK(cudaMemcpy(in, host, 256, cudaMemcpyHostToDevice));
    blend<<<1, 64>>>(w, in, out);
    CUDA_CHECK(cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost));
  }
  printf("%f\n", host[0]);
  free(host);
  // CHECK-LABEL: void passes
  // CHECK: if (n >= 0)
  // CHECK-NEXT: CUDA_CHECK(cudaMemcpy(in, host, 256, cudaMemcpyHostToDevice));
  // CHECK-NEXT: for (int k = 0; k <= n; k++) {
  // CHECK-NEXT: if (k > 0)
  // CHECK-NEXT: CUDA_CHECK(cudaMemcpy(in, out, 256, cudaMemcpyDeviceToDevice));
  // CHECK-NEXT: blend<<<1, 64>>>(w, in, out);
  // CHECK-NEXT: }
  // CHECK-NEXT: if (n >= 0)
  // CHECK-NEXT: CUDA_CHECK(cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost));
}

int main() {
  static float data[512], result[512];
  simulate(data, 3, 256);
  batches(data, result);
  passes(3);
}
