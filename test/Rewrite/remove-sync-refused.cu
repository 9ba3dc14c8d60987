// Waits whose absence would show. Each kind of whole unit stands in a file.
// RUN: split-file %s %t
// RUN: cuda-l1-opt %t/paths.cu --rules='-*,remove-sync' --list-sites -- %fake_cuda > %t.sites
// RUN: FileCheck %s --input-file=%t.sites --implicit-check-not='remove-sync [exact]'
// Only the wait in none() may go.
// CHECK: paths.cu:[[#]]: remove-sync [exact]
// CHECK-NEXT: on the host: do not wait for the GPU{{$}}
// RUN: cuda-l1-opt %t/stream.cu --rules='-*,remove-sync' --list-sites -- %fake_cuda | count 0
// RUN: cuda-l1-opt %t/managed.cu --rules='-*,remove-sync' --list-sites -- %fake_cuda | count 0
// RUN: cuda-l1-opt %t/pinned-table.cu --rules='-*,remove-sync' --list-sites -- %fake_cuda | count 0
// RUN: cuda-l1-opt %t/pinned-async.cu --rules='-*,remove-sync' --list-sites -- %fake_cuda | count 0
// RUN: cuda-l1-opt %t/prints.cu --rules='-*,remove-sync' --list-sites -- %fake_cuda | count 0
// RUN: cuda-l1-opt %t/unseen.cu --rules='-*,remove-sync' --list-sites -- %fake_cuda | count 0
// RUN: cuda-l1-opt %t/part.cu --rules='-*,remove-sync' --list-sites -- %fake_cuda | count 0
// RUN: cuda-l1-opt %t/host-memory.cu --rules='-*,remove-sync' --list-sites -- %fake_cuda | count 0
// RUN: cuda-l1-opt %t/devices.cu --rules='-*,remove-sync' --list-sites -- %fake_cuda | count 0

//--- paths.cu
#include <libc.h>
#define CHECK_CUDA(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
#define LOG_CUDA(call) do { cudaError_t e = (call); printf("%d", e); } while (0)
__global__ void step(float *a, int k) { a[threadIdx.x + k] += a[threadIdx.x]; }
__global__ void scale(float *out, const float *in) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

void none(float *a, float *result) {
  step<<<1, 32>>>(a, 1);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(result, a, 64, cudaMemcpyDeviceToHost));
}
// Read after each iteration.
void timed(float *a, float *result) {
  for (int k = 0; k < 9; k++) {
    long start = clock();
    step<<<1, 32>>>(a, k);
    cudaDeviceSynchronize();
    result[k] = clock() - start;
  }
}
// Something is printed in between, and the function ends.
void progress(float *a) {
  for (int k = 0; k < 9; k++) {
    step<<<1, 32>>>(a, k);
    cudaDeviceSynchronize();
    printf("%d\n", k);
  }
}
void ends(float *a) {
  step<<<1, 32>>>(a, 1);
  cudaDeviceSynchronize();
}
// Memory is freed that a kernel may still use.
void frees(float *a) {
  step<<<1, 32>>>(a, 1);
  cudaDeviceSynchronize();
  cudaFree(a);
}
// A wait that prints even when all is well.
void logs(float *a, float *result) {
  step<<<1, 32>>>(a, 1);
  LOG_CUDA(cudaDeviceSynchronize());
  cudaMemcpy(result, a, 64, cudaMemcpyDeviceToHost);
}
// Errors would not be noticed at the copy.
void unchecked(float *a, float *result) {
  step<<<1, 32>>>(a, 1);
  CHECK_CUDA(cudaDeviceSynchronize());
  cudaMemcpy(result, a, 64, cudaMemcpyDeviceToHost);
}
// One of two ways leads to no wait.
int leaves(float *a, float *result, int k) {
  step<<<1, 32>>>(a, 1);
  cudaDeviceSynchronize();
  if (k)
    return 1;
  cudaMemcpy(result, a, 64, cudaMemcpyDeviceToHost);
  return 0;
}
// A loop that times one kernel on the same data again and again.
void repeats(float *a, float *b, float *result) {
  for (int run = 0; run < 5; run++) {
    scale<<<1, 32>>>(b, a);
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  CHECK_CUDA(cudaMemcpy(result, b, 64, cudaMemcpyDeviceToHost));
}
int main() {
  float *a, *b, result[16];
  cudaMalloc((void **)&a, 512);
  cudaMalloc((void **)&b, 512);
  none(a, result);
  timed(a, result);
  progress(a);
  ends(a);
  logs(a, result);
  unchecked(a, result);
  repeats(a, b, result);
  leaves(a, result, 0);
  frees(a);
}

//--- stream.cu
__global__ void step(float *a) { a[threadIdx.x] += 1; }
int main() {
  float *a, result[16];
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMalloc((void **)&a, 64);
  step<<<1, 16, 0, s>>>(a);
  cudaDeviceSynchronize();
  cudaMemcpy(result, a, 64, cudaMemcpyDeviceToHost);
}

//--- managed.cu
__global__ void step(float *a) { a[threadIdx.x] += 1; }
int main() {
  float *a, *b, result[16];
  cudaMalloc((void **)&a, 64);
  cudaMallocManaged((void **)&b, 64);
  step<<<1, 16>>>(a);
  cudaDeviceSynchronize();
  cudaMemcpy(result, a, 64, cudaMemcpyDeviceToHost);
}

//--- pinned-table.cu
// The kernel finds the host's memory by its address.
__global__ void step(float **a) { a[0][threadIdx.x] += 1; }
int main() {
  float **a, *result, *back[1];
  cudaMalloc((void **)&a, 64);
  cudaMallocHost((void **)&result, 64);
  back[0] = result;
  cudaMemcpy(a, back, sizeof(back), cudaMemcpyHostToDevice);
  step<<<1, 16>>>(a);
  cudaDeviceSynchronize();
  float first = result[0];
  cudaMemcpy(back, a, 8, cudaMemcpyDeviceToHost);
  printf("%f", first);
}

//--- pinned-async.cu
// The copy may be under way until the host waits.
__global__ void step(float *a) { a[threadIdx.x] += 1; }
int main() {
  float *a, *result, last;
  cudaMalloc((void **)&a, 64);
  cudaMallocHost((void **)&result, 64);
  step<<<1, 16>>>(a);
  cudaMemcpyAsync(result, a, 64, cudaMemcpyDeviceToHost);
  cudaDeviceSynchronize();
  float first = result[0];
  cudaMemcpy(&last, a, 4, cudaMemcpyDeviceToHost);
  printf("%f %f", first, last);
}

//--- prints.cu
__device__ void tell(int i) { printf("%d\n", i); }
__global__ void step(float *a) { a[threadIdx.x] += 1; tell(threadIdx.x); }
int main() {
  float *a, result[16];
  cudaMalloc((void **)&a, 64);
  step<<<1, 16>>>(a);
  cudaDeviceSynchronize();
  cudaMemcpy(result, a, 64, cudaMemcpyDeviceToHost);
}

//--- unseen.cu
void library(float *a);
__global__ void step(float *a) { a[threadIdx.x] += 1; }
int main() {
  float *a, result[16];
  cudaMalloc((void **)&a, 64);
  library(a);
  step<<<1, 16>>>(a);
  cudaDeviceSynchronize();
  cudaMemcpy(result, a, 64, cudaMemcpyDeviceToHost);
}

//--- part.cu
__global__ void step(float *a) { a[threadIdx.x] += 1; }
void run() {
  float *a, result[16];
  cudaMalloc((void **)&a, 64);
  step<<<1, 16>>>(a);
  cudaDeviceSynchronize();
  cudaMemcpy(result, a, 64, cudaMemcpyDeviceToHost);
}

//--- host-memory.cu
__global__ void step(float *a) { a[threadIdx.x] += 1; }
int main() {
  float *a = (float *)malloc(64), result[16];
  step<<<1, 16>>>(a);
  cudaDeviceSynchronize();
  cudaMemcpy(result, a, 64, cudaMemcpyDeviceToHost);
}

//--- devices.cu
__global__ void step(float *a) { a[threadIdx.x] += 1; }
int main() {
  float *a, result[16];
  cudaSetDevice(1);
  cudaMalloc((void **)&a, 64);
  step<<<1, 16>>>(a);
  cudaSetDevice(0);
  cudaDeviceSynchronize();
  cudaMemcpy(result, a, 64, cudaMemcpyDeviceToHost);
}
