// Transposed matrix-vector product y = A^T * x, row-major, one thread per
// column. Reads of A are coalesced.
// Naive: the sum is kept in global memory, so no load of A can be started
// before the previous store, and there are only n threads.
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

#define BLOCK_SIZE 256

__global__ void matvecTransposed(float *A, float *x, float *y, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) {
    y[j] = 0;
    for (int i = 0; i < n; i++) {
      y[j] += A[i * n + j] * x[i];
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

static double checkSample(const std::vector<float> &A,
                          const std::vector<float> &x,
                          const std::vector<float> &y, int n) {
  double worst = 0;
  for (int j = 0; j < n; j += std::max(1, n / 128)) {
    double want = 0;
    for (int i = 0; i < n; i++)
      want += (double)A[(size_t)i * n + j] * x[i];
    worst = std::max(worst, relativeError(y[j], want));
  }
  return worst;
}

int main(int argc, char **argv) {
  int n = 4096;
  bool check = false;
  parseArgs(argc, argv, 16384, &n, &check);

  std::vector<float> A((size_t)n * n), x(n), y(n);
  Lcg random;
  for (float &v : A)
    v = random.uniform();
  for (float &v : x)
    v = random.uniform();

  float *dA, *dx, *dy;
  CUDA_CHECK(cudaMalloc((void **)&dA, A.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void **)&dx, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void **)&dy, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(
      cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  dim3 block(BLOCK_SIZE);
  dim3 grid((n + BLOCK_SIZE - 1) / BLOCK_SIZE);
  for (int run = 0; run < 10; run++) {
    matvecTransposed<<<grid, block>>>(dA, dx, dy, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  CUDA_CHECK(
      cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost));

  printResult("y", y);
  if (check) {
    double worst = checkSample(A, x, y, n);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dA));
  CUDA_CHECK(cudaFree(dx));
  CUDA_CHECK(cudaFree(dy));
  return 0;
}
