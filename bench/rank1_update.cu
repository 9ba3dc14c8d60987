// Rank-1 updates A += alpha * x * y^T, one for each of a few pairs x, y, and a
// triangular product with the result: v = L * u with L the lower part of A.
// Naive: the row comes from threadIdx.x, so every access is a row apart; one
// pass over A for each pair; rows of the triangle are as uneven as can be.
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

#define PAIRS 6

__global__ void rankOne(float *A, float *x, float *y, float alpha, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n)
    A[row * n + col] = A[row * n + col] + alpha * x[row] * y[col];
}

__global__ void lowerTimesVector(float *A, float *u, float *v, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    v[row] = 0.0f;
    for (int k = 0; k <= row; k++)
      v[row] += A[row * n + k] * u[k];
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
  int n = 4096;
  bool check = false;
  parseArgs(argc, argv, 16384, &n, &check);

  size_t count = (size_t)n * n;
  std::vector<float> A(count), x((size_t)PAIRS * n), y(x.size()), v(n);
  Lcg random;
  for (float &a : A)
    a = random.uniform();
  for (size_t i = 0; i < x.size(); i++) {
    x[i] = random.uniform();
    y[i] = random.uniform();
  }

  float *dA, *dX, *dY, *dV;
  CUDA_CHECK(cudaMalloc(&dA, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dX, x.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dY, y.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dV, n * sizeof(float)));
  CUDA_CHECK(
      cudaMemcpy(dA, A.data(), count * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dX, x.data(), x.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dY, y.data(), y.size() * sizeof(float),
                        cudaMemcpyHostToDevice));

  dim3 block(16, 16);
  dim3 grid((n + 15) / 16, (n + 15) / 16);
  for (int p = 0; p < PAIRS; p++) {
    rankOne<<<grid, block>>>(dA, dX + (size_t)p * n, dY + (size_t)p * n, 0.1f,
                             n);
    CUDA_CHECK(cudaGetLastError());
  }
  // The first x serves as u.
  lowerTimesVector<<<(n + 127) / 128, 128>>>(dA, dX, dV, n);
  CUDA_CHECK(cudaGetLastError());
  std::vector<float> result(count);
  CUDA_CHECK(cudaMemcpy(result.data(), dA, count * sizeof(float),
                        cudaMemcpyDeviceToHost));
  CUDA_CHECK(
      cudaMemcpy(v.data(), dV, n * sizeof(float), cudaMemcpyDeviceToHost));

  printResult("A", result);
  printResult("v", v);
  if (check) {
    double worst = 0;
    for (int row = 0; row < n; row += 1 + n / 64) {
      double sum = 0;
      for (int k = 0; k < n; k++) {
        double want = A[(size_t)row * n + k];
        for (int p = 0; p < PAIRS; p++)
          want += 0.1 * x[(size_t)p * n + row] * y[(size_t)p * n + k];
        worst =
            std::max(worst, relativeError(result[(size_t)row * n + k], want));
        if (k <= row)
          sum += want * x[k];
      }
      worst = std::max(worst, relativeError(v[row], sum));
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dA));
  CUDA_CHECK(cudaFree(dX));
  CUDA_CHECK(cudaFree(dY));
  CUDA_CHECK(cudaFree(dV));
  return 0;
}
