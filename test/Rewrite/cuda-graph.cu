// RUN: cuda-l1-opt %s --rules='-*,cuda-graph' --apply-all -- %fake_cuda > %t.cu
// RUN: FileCheck %s < %t.cu
// One loop of a unit has it; the others would need streams that are told apart.
// RUN: cuda-l1-opt %s --rules='-*,cuda-graph' --list-sites -- %fake_cuda | FileCheck --check-prefix=SITES %s
// RUN: cuda-l1-opt %s --rules='-*,cuda-graph' --apply='cuda-graph@43{iterations=3}' -- %fake_cuda | FileCheck --check-prefix=THREE %s

#include <libc.h>

namespace std {
template <typename T> void swap(T &a, T &b) {
  T t = a;
  a = b;
  b = t;
}
} // namespace std

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess) {                                                  \
      fprintf(nullptr, "%s\n", cudaGetErrorString(err));                       \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

__global__ void step(float *in, float *out) { out[threadIdx.x] = in[threadIdx.x + 1]; }

void pingPong(float *result, int steps) {
  float *a, *b;
  CUDA_CHECK(cudaMalloc((void **)&a, 512));
  CUDA_CHECK(cudaMalloc((void **)&b, 512));
  dim3 grid(4), block(32);
  for (int i = 0; i < steps; i++) {
    step<<<grid, block>>>(a, b);
    CUDA_CHECK(cudaMemset(a, 0, 4));
    CUDA_CHECK(cudaGetLastError());
    std::swap(a, b);
  }
  CUDA_CHECK(cudaMemcpy(result, a, 512, cudaMemcpyDeviceToHost));
}

void rotates(float *a, float *b, float *c, float *result) {
  for (int i = 0; i <= 99; ++i) {
    step<<<4, 32, 0>>>(a, b);
    float *t = a;
    a = b;
    b = c;
    c = t;
  }
  cudaMemcpy(result, a, 512, cudaMemcpyDeviceToHost);
}

// SITES: cuda-graph.cu:33: cuda-graph {iterations=10} {iterations=2} {iterations=50} [exact]
// SITES-NEXT: on the host: launch several iterations of the loop as one graph
// SITES: because each iteration asks for the same work, and 2 of them put the pointers back
// SITES: cuda-graph.cu:43: cuda-graph {iterations=12} {iterations=3} [exact]
// SITES: because each iteration asks for the same work, and 3 of them put the pointers back

// CHECK: dim3 grid(4), block(32);
// CHECK-NEXT: int done = 0;
// CHECK-NEXT: if (steps - done >= 40) {
// CHECK-NEXT: cudaStream_t stream;
// CHECK-NEXT: CUDA_CHECK(cudaStreamCreate(&stream));
// CHECK-NEXT: CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
// CHECK-NEXT: for (int i = 0; i < 10; i++) {
// CHECK-NEXT: step<<<grid, block, 0, stream>>>(a, b);
// CHECK-NEXT: CUDA_CHECK(cudaMemsetAsync(a, 0, 4, stream));
// CHECK-NEXT: CUDA_CHECK(cudaGetLastError());
// CHECK-NEXT: std::swap(a, b);
// CHECK-NEXT: }
// CHECK-NEXT: cudaGraph_t graph;
// CHECK-NEXT: CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
// CHECK-NEXT: cudaGraphExec_t graphExec;
// CHECK-NEXT: CUDA_CHECK(cudaGraphInstantiate(&graphExec, graph, 0));
// CHECK-NEXT: for (; steps - done >= 10; done += 10)
// CHECK-NEXT: CUDA_CHECK(cudaGraphLaunch(graphExec, stream));
// CHECK-NEXT: CUDA_CHECK(cudaStreamSynchronize(stream));
// CHECK-NEXT: CUDA_CHECK(cudaGraphExecDestroy(graphExec));
// CHECK-NEXT: CUDA_CHECK(cudaGraphDestroy(graph));
// CHECK-NEXT: CUDA_CHECK(cudaStreamDestroy(stream));
// CHECK-NEXT: }
// CHECK-NEXT: for (int i = done; i < steps; i++) {
// CHECK-NEXT: step<<<grid, block>>>(a, b);
// CHECK: for (int i = 0; i <= 99; ++i) {

// THREE: if (99 - done >= 11) {
// THREE: for (int i = 0; i < 3; i++) {
// THREE-NEXT: step<<<4, 32, 0, stream>>>(a, b);
// THREE: for (; 99 - done >= 2; done += 3)
// THREE-NEXT: cudaGraphLaunch(graphExec, stream);
// THREE: for (int i = done; i <= 99; ++i) {

int main() {
  float result[128] = {};
  pingPong(result, 100);
  float *a, *b, *c;
  cudaMalloc((void **)&a, 512);
  cudaMalloc((void **)&b, 512);
  cudaMalloc((void **)&c, 512);
  rotates(a, b, c, result);
}
