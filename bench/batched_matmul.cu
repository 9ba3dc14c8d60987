// Batch of small matrix products, C[b] = A[b] * B[b], in a 3-D grid.
// Naive: the sum lives in global memory, the place in the batch is computed
// anew in 64 bits at each access, blocks of 8 x 8.
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

#define BATCH 64

__global__ void batchedMatmul(float *A, float *B, float *C, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  long long batch = blockIdx.z;
  if (row < n && col < n) {
    C[batch * n * n + row * n + col] = 0;
    for (int k = 0; k < n; k++) {
      C[batch * n * n + row * n + col] +=
          A[batch * n * n + row * n + k] * B[batch * n * n + k * n + col];
    }
  }
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

// Compares up to 512 elements spread over the batch with sums in double.
static double checkSample(const std::vector<float> &A,
                          const std::vector<float> &B,
                          const std::vector<float> &C, int n) {
  double worst = 0;
  size_t total = C.size(), step = std::max<size_t>(1, total / 512) | 1;
  for (size_t i = 0; i < total; i += step) {
    size_t first = i / ((size_t)n * n) * n * n;
    size_t row = i % ((size_t)n * n) / n, col = i % n;
    double want = 0;
    for (int k = 0; k < n; k++)
      want += (double)A[first + row * n + k] * B[first + (size_t)k * n + col];
    worst = std::max(worst, relativeError(C[i], want));
  }
  return worst;
}

int main(int argc, char **argv) {
  int n = 256;
  bool check = false;
  parseArgs(argc, argv, 1024, &n, &check);

  size_t count = (size_t)BATCH * n * n, bytes = count * sizeof(float);
  std::vector<float> A(count), B(count), C(count);
  Lcg random;
  for (size_t i = 0; i < count; i++) {
    A[i] = random.uniform();
    B[i] = random.uniform();
  }

  float *dA = nullptr, *dB = nullptr, *dC = nullptr;
  CUDA_CHECK(cudaMalloc((void **)&dA, bytes));
  CUDA_CHECK(cudaMalloc((void **)&dB, bytes));
  CUDA_CHECK(cudaMalloc((void **)&dC, bytes));
  CUDA_CHECK(cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dB, B.data(), bytes, cudaMemcpyHostToDevice));

  dim3 block(8, 8);
  dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y, BATCH);
  for (int run = 0; run < 3; run++)
    batchedMatmul<<<grid, block>>>(dA, dB, dC, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(C.data(), dC, bytes, cudaMemcpyDeviceToHost));

  printResult("C", C);
  if (check) {
    double worst = checkSample(A, B, C, n);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dA));
  CUDA_CHECK(cudaFree(dB));
  CUDA_CHECK(cudaFree(dC));
  return 0;
}
