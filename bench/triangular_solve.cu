// Forward substitution L * X = B with many right-hand sides, in place: B
// becomes X. One launch for each row of L.
// Naive: each thread walks all finished rows of its column with the sum in
// global memory, one small launch a row, a division by the diagonal for each.
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

__global__ void solveRow(float *L, float *X, int n, int columns, int row) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns)
    return;
  for (int k = 0; k < row; k++)
    X[row * columns + c] -= L[row * n + k] * X[k * columns + c];
  X[row * columns + c] /= L[row * n + row];
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

// Solves up to eight of the columns on the host, in double.
static double checkColumns(const std::vector<float> &L,
                           const std::vector<float> &B,
                           const std::vector<float> &X, int n, int columns) {
  double worst = 0;
  for (int c = 0; c < columns; c += std::max(1, columns / 8)) {
    std::vector<double> x(n);
    for (int i = 0; i < n; i++) {
      double sum = B[(size_t)i * columns + c];
      for (int k = 0; k < i; k++)
        sum -= L[(size_t)i * n + k] * x[k];
      x[i] = sum / L[(size_t)i * n + i];
      worst = std::max(worst, relativeError(X[(size_t)i * columns + c], x[i]));
    }
  }
  return worst;
}

int main(int argc, char **argv) {
  int n = 512;
  bool check = false;
  parseArgs(argc, argv, 4096, &n, &check);

  int columns = 4 * n + 1;
  std::vector<float> L((size_t)n * n), B((size_t)n * columns), X(B.size());
  Lcg random;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      float v = random.uniform();
      L[(size_t)i * n + k] = k < i ? 0.25f * v / n : k == i ? 1.0f + v : 0.0f;
    }
  for (float &b : B)
    b = 1.0f + random.uniform();

  float *dL, *dX;
  CUDA_CHECK(cudaMalloc(&dL, L.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dX, X.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dL, L.data(), L.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dX, B.data(), B.size() * sizeof(float),
                        cudaMemcpyHostToDevice));

  const int threads = 64;
  for (int row = 0; row < n; row++) {
    solveRow<<<(columns + threads - 1) / threads, threads>>>(dL, dX, n, columns,
                                                             row);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(X.data(), dX, X.size() * sizeof(float),
                        cudaMemcpyDeviceToHost));

  printResult("X", X);
  if (check) {
    double worst = checkColumns(L, B, X, n, columns);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dL));
  CUDA_CHECK(cudaFree(dX));
  return 0;
}
