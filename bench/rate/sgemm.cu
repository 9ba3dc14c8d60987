// C = A * B in single precision, timed and checked: sgemm M N K [REPEATS]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void sgemm(const float *A, const float *B, float *C, int M, int N,
                      int K) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
      sum += A[row * K + k] * B[k * N + col];
    C[row * N + col] = sum;
  }
}

int main(int argc, char **argv) {
  int M = argc > 1 ? atoi(argv[1]) : 4096;
  int N = argc > 2 ? atoi(argv[2]) : M;
  int K = argc > 3 ? atoi(argv[3]) : M;
  int repeats = argc > 4 ? atoi(argv[4]) : 20;
  std::vector<float> A((size_t)M * K), B((size_t)K * N), C((size_t)M * N);
  unsigned state = 1;
  auto random = [&] {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) * (2.0f / 16777216.0f) - 1.0f;
  };
  for (float &x : A)
    x = random();
  for (float &x : B)
    x = random();
  float *dA, *dB, *dC;
  cudaMalloc(&dA, A.size() * sizeof(float));
  cudaMalloc(&dB, B.size() * sizeof(float));
  cudaMalloc(&dC, C.size() * sizeof(float));
  cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::vector<float> times;
  for (int run = 0; run < repeats + 3; run++) {
    cudaEventRecord(start);
    sgemm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(dA, dB, dC, M,
                                                                N, K);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, stop);
    if (run >= 3)
      times.push_back(ms);
  }
  cudaError_t status = cudaDeviceSynchronize();
  cudaMemcpy(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::sort(times.begin(), times.end());
  double ms = times[times.size() / 2];
  double worst = 0;
  for (int i = 0; i < 500; i++) {
    size_t at = (size_t)(i * 7919LL * 104729LL % ((long long)M * N));
    size_t row = at / N, col = at % N;
    double want = 0, scale = 0;
    for (int k = 0; k < K; k++) {
      want += (double)A[row * K + k] * B[(size_t)k * N + col];
      scale += std::fabs((double)A[row * K + k] * B[(size_t)k * N + col]);
    }
    worst = std::max(worst, std::fabs(C[at] - want) / scale);
  }
  printf("%s: %d x %d x %d median %.4f ms, best %.4f ms, %.2f TFLOP/s, error "
         "%.1e, %s\n",
         argv[0], M, N, K, ms, times[0], 2.0 * M * N * K / ms * 1e-9, worst,
         worst < 1e-5 ? "right" : "WRONG");
  printf("%s\n", cudaGetErrorString(status));
  return worst < 1e-5 ? 0 : 1;
}
