// Matrix product C = A * B^T: similarities of all rows of A with all of B.
// Naive: neighbouring threads read B a row apart; a row pointer is taken anew
// by every thread; the result is scaled by a division in the loop's wake.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA_CHECK(call)                                                       \
  do {                                                                         \
    cudaError_t err = (call);                                                  \
    if (err != cudaSuccess) {                                                  \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,            \
              cudaGetErrorString(err));                                        \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

#define TILE 16

__device__ float rowDot(const float *x, const float *y, int length) {
  float sum = 0;
  for (int k = 0; k < length; k++)
    sum += x[k] * y[k];
  return sum;
}

__global__ void matmulABt(float *A, float *B, float *C, int M, int N, int K) {
  int j = threadIdx.x + blockIdx.x * TILE;
  int i = threadIdx.y + blockIdx.y * TILE;
  if (i >= M || j >= N)
    return;
  C[i * N + j] = rowDot(&A[i * K], &B[j * K], K) / sqrtf((float)K);
}

// Small deterministic generator: the same numbers on every machine.
struct Lcg {
  unsigned state = 12345u;
  unsigned bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  float uniform() { return bits() * (1.0f / 16777216.0f); } // [0, 1)
};

static void parseArgs(int argc, char **argv, int maxSize, int *size,
                      bool *check) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--check") == 0) {
      *check = true;
      continue;
    }
    char *end = nullptr;
    long value = strtol(argv[i], &end, 10);
    if (end == argv[i] || *end != '\0' || value < 1 || value > maxSize) {
      fprintf(stderr, "usage: %s [SIZE, 1 to %d] [--check]\n", argv[0],
              maxSize);
      exit(2);
    }
    *size = (int)value;
  }
}

static void printResult(const char *name, const std::vector<float> &v) {
  double sum = 0, weighted = 0;
  float low = v[0], high = v[0];
  for (size_t i = 0; i < v.size(); i++) {
    sum += v[i];
    weighted += (double)v[i] * (1 + i % 97);
    low = std::min(low, v[i]);
    high = std::max(high, v[i]);
  }
  printf("%s sum %.6e weighted %.6e min %.6e max %.6e\n", name, sum, weighted,
         low, high);
  printf("%s samples %.6e %.6e %.6e %.6e\n", name, v[0], v[v.size() / 3],
         v[v.size() / 2], v[v.size() - 1]);
}

static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1e-3);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

// Compares up to 256 elements spread over C with a product in double.
static double checkSample(const std::vector<float> &A,
                          const std::vector<float> &B,
                          const std::vector<float> &C, int N, int K) {
  double worst = 0;
  size_t total = C.size(), step = std::max<size_t>(1, total / 256) | 1;
  for (size_t i = 0; i < total; i += step) {
    size_t row = i / N, col = i % N;
    double want = 0;
    for (int k = 0; k < K; k++)
      want += (double)A[row * K + k] * B[col * K + k];
    worst = std::max(worst, relativeError(C[i], want / sqrt((double)K)));
  }
  return worst;
}

int main(int argc, char **argv) {
  int N = 1024;
  bool check = false;
  parseArgs(argc, argv, 8192, &N, &check);

  int M = N + 5, K = N / 2 + 1;
  std::vector<float> A((size_t)M * K), B((size_t)N * K), C((size_t)M * N);
  Lcg random;
  for (float &a : A)
    a = random.uniform();
  for (float &b : B)
    b = random.uniform();

  float *dA, *dB, *dC;
  CUDA_CHECK(cudaMalloc(&dA, A.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dB, B.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dC, C.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dB, B.data(), B.size() * sizeof(float),
                        cudaMemcpyHostToDevice));

  dim3 block(TILE, TILE);
  dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  for (int run = 0; run < 3; run++)
    matmulABt<<<grid, block>>>(dA, dB, dC, M, N, K);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(C.data(), dC, C.size() * sizeof(float),
                        cudaMemcpyDeviceToHost));

  printResult("C", C);
  if (check) {
    double worst = checkSample(A, B, C, N, K);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dA));
  CUDA_CHECK(cudaFree(dB));
  CUDA_CHECK(cudaFree(dC));
  return 0;
}
