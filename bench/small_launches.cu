// Gaussian elimination without pivoting: for each column one launch for the
// factors, one for the rest of the matrix.
// Naive: two small launches a column on an ever smaller matrix, synchronised
// each time; the row comes from threadIdx.x; factors by division.
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

#define EDGE 16

__global__ void factors(float *A, float *m, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1 - k)
    m[n * (i + k + 1) + k] = A[n * (i + k + 1) + k] / A[n * k + k];
}

__global__ void eliminate(float *A, float *m, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n - 1 - k || j >= n - k)
    return;
  A[n * (i + 1 + k) + j + k] -= m[n * (i + 1 + k) + k] * A[n * k + j + k];
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

int main(int argc, char **argv) {
  int n = 512;
  bool check = false;
  parseArgs(argc, argv, 2048, &n, &check);

  size_t count = (size_t)n * n, bytes = count * sizeof(float);
  std::vector<float> A(count), upper(count), lower(count);
  Lcg random;
  for (int i = 0; i < n; i++) // a heavy diagonal: no pivots are needed
    for (int j = 0; j < n; j++)
      A[(size_t)i * n + j] = random.uniform() + (i == j ? n : 0);

  float *dA, *dM;
  CUDA_CHECK(cudaMalloc(&dA, bytes));
  CUDA_CHECK(cudaMalloc(&dM, bytes));
  CUDA_CHECK(cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(dM, 0, bytes));

  for (int k = 0; k < n - 1; k++) {
    int rows = n - 1 - k, columns = n - k;
    factors<<<(rows + 63) / 64, 64>>>(dA, dM, n, k);
    CUDA_CHECK(cudaDeviceSynchronize());
    dim3 grid((rows + EDGE - 1) / EDGE, (columns + EDGE - 1) / EDGE);
    eliminate<<<grid, dim3(EDGE, EDGE)>>>(dA, dM, n, k);
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(upper.data(), dA, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(lower.data(), dM, bytes, cudaMemcpyDeviceToHost));

  // Below the diagonal only rounding is left.
  for (int i = 0; i < n; i++)
    std::fill_n(upper.begin() + (size_t)i * n, i, 0.0f);
  printResult("U", upper);
  printResult("L", lower);
  if (check) {
    // L * U is A again.
    double worst = 0;
    for (size_t p = 0; p < count; p += 1 + count / 4000) {
      int i = p / n, j = p % n;
      double sum = i <= j ? upper[p] : 0;
      for (int k = 0; k < i && k <= j; k++)
        sum += (double)lower[(size_t)i * n + k] * upper[(size_t)k * n + j];
      worst = std::max(worst, relativeError(1.0 + sum, 1.0 + A[p]));
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dA));
  CUDA_CHECK(cudaFree(dM));
  return 0;
}
