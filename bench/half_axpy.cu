// y = a * x + y in half precision, then y is clipped, then its square is
// summed up by column in single precision.
// Naive: one 2-byte element a thread, conversions back and forth, three
// kernels, the column sum in global memory.
#include <cuda_fp16.h>
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

#define ROWS 64

__global__ void axpy(half a, half *x, half *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = __hadd(__hmul(a, x[i]), y[i]);
}

__global__ void clip(half *y, float limit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && __half2float(y[i]) > limit)
    y[i] = __float2half(limit);
}

__global__ void columnSquares(half *y, float *sums, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < columns) {
    sums[c] = 0.0f;
    for (int r = 0; r < ROWS; r++)
      sums[c] +=
          __half2float(y[r * columns + c]) * __half2float(y[r * columns + c]);
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

int main(int argc, char **argv) {
  int columns = 1 << 18;
  bool check = false;
  parseArgs(argc, argv, 1 << 23, &columns, &check);

  const float a = 0.75f, limit = 1.5f;
  int n = ROWS * columns;
  std::vector<half> x(n), y(n);
  Lcg random;
  for (int i = 0; i < n; i++) {
    x[i] = __float2half(random.uniform());
    y[i] = __float2half(random.uniform());
  }

  half *dX, *dY;
  float *dSums;
  CUDA_CHECK(cudaMalloc(&dX, n * sizeof(half)));
  CUDA_CHECK(cudaMalloc(&dY, n * sizeof(half)));
  CUDA_CHECK(cudaMalloc(&dSums, columns * sizeof(float)));
  CUDA_CHECK(
      cudaMemcpy(dX, x.data(), n * sizeof(half), cudaMemcpyHostToDevice));
  CUDA_CHECK(
      cudaMemcpy(dY, y.data(), n * sizeof(half), cudaMemcpyHostToDevice));

  int blocks = (n + 255) / 256;
  axpy<<<blocks, 256>>>(__float2half(a), dX, dY, n);
  clip<<<blocks, 256>>>(dY, limit, n);
  columnSquares<<<(columns + 255) / 256, 256>>>(dY, dSums, columns);
  CUDA_CHECK(cudaGetLastError());
  std::vector<half> result(n);
  std::vector<float> sums(columns);
  CUDA_CHECK(
      cudaMemcpy(result.data(), dY, n * sizeof(half), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(sums.data(), dSums, columns * sizeof(float),
                        cudaMemcpyDeviceToHost));

  printResult("sums", sums);
  if (check) {
    double worst = 0;
    for (int c = 0; c < columns; c += 1 + columns / 3000) {
      double sum = 0;
      for (int r = 0; r < ROWS; r++) {
        int i = r * columns + c;
        double want = std::min(
            (double)a * __half2float(x[i]) + __half2float(y[i]), (double)limit);
        double got = __half2float(result[i]);
        // A half has 11 digits: two roundings of values up to 2.
        if (fabs(got - want) > 2e-3)
          worst = 1;
        sum += got * got;
      }
      worst = std::max(worst, relativeError(sums[c], sum));
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dX));
  CUDA_CHECK(cudaFree(dY));
  CUDA_CHECK(cudaFree(dSums));
  return 0;
}
