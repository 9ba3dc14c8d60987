// cuBLAS in true single precision (no TF32), timed: cublas M N K [REPEATS]
// [repeats]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <vector>
int main(int argc, char **argv) {
  int M = argc > 1 ? atoi(argv[1]) : 4096, N = argc > 2 ? atoi(argv[2]) : M,
      K = argc > 3 ? atoi(argv[3]) : M;
  int repeats = argc > 4 ? atoi(argv[4]) : 20;
  float *A, *B, *C, one = 1, zero = 0;
  std::vector<float> host((size_t)std::max(M, N) * std::max(N, K));
  unsigned s = 1;
  for (float &x : host) {
    s = s * 1664525u + 1013904223u;
    x = (s >> 8) * (2.0f / 16777216.0f) - 1.0f;
  }
  cudaMalloc(&A, (size_t)M * K * 4);
  cudaMalloc(&B, (size_t)K * N * 4);
  cudaMalloc(&C, (size_t)M * N * 4);
  cudaMemcpy(A, host.data(), std::min(host.size(), (size_t)M * K) * 4,
             cudaMemcpyHostToDevice);
  cudaMemcpy(B, host.data(), std::min(host.size(), (size_t)K * N) * 4,
             cudaMemcpyHostToDevice);
  cublasHandle_t h;
  cublasCreate(&h);
  cublasSetMathMode(h, CUBLAS_PEDANTIC_MATH);
  cudaEvent_t e0, e1;
  cudaEventCreate(&e0);
  cudaEventCreate(&e1);
  std::vector<float> t;
  for (int r = 0; r < repeats + 3; r++) {
    cudaEventRecord(e0);
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, B, N, A, K, &zero,
                C, N);
    cudaEventRecord(e1);
    cudaEventSynchronize(e1);
    float ms;
    cudaEventElapsedTime(&ms, e0, e1);
    if (r >= 3)
      t.push_back(ms);
  }
  std::sort(t.begin(), t.end());
  double ms = t[t.size() / 2];
  printf("cublas: %d x %d x %d median %.4f ms, best %.4f ms, %.2f TFLOP/s\n", M,
         N, K, ms, t[0], 2.0 * M * N * K / ms * 1e-9);
}
