// Sparse matrix times vector, ELLPACK: each row has the same number of slots,
// empty ones have column -1. Several products in turn, as in a power method.
// Naive: slots of a row lie side by side, so reads are uncoalesced; the sum
// lives in global memory; the vector is normalised on the host.
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

#define SLOTS 24

__global__ void spmvEll(int *columns, float *values, float *x, float *y,
                        int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    y[row] = 0.0f;
    for (int s = 0; s < SLOTS; s++) {
      if (columns[row * SLOTS + s] >= 0)
        y[row] += values[row * SLOTS + s] * x[columns[row * SLOTS + s]];
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

// Scales v so that its largest element is 1.
template <typename T> static void normalise(std::vector<T> &v) {
  T largest = *std::max_element(v.begin(), v.end());
  for (T &element : v)
    element /= largest;
}

int main(int argc, char **argv) {
  int rows = 1 << 19;
  bool check = false;
  parseArgs(argc, argv, 1 << 23, &rows, &check);

  const int products = 4;
  size_t slots = (size_t)rows * SLOTS;
  std::vector<int> columns(slots, -1);
  std::vector<float> values(slots, 0.0f), x(rows, 1.0f), y(rows);
  Lcg random;
  for (int row = 0; row < rows; row++) {
    int filled = 1 + random.bits() % SLOTS;
    for (int s = 0; s < filled; s++) {
      columns[(size_t)row * SLOTS + s] = random.bits() % rows;
      values[(size_t)row * SLOTS + s] = 0.1f + random.uniform();
    }
  }

  int *dColumns;
  float *dValues, *dX, *dY;
  CUDA_CHECK(cudaMalloc(&dColumns, slots * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dValues, slots * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dX, rows * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dY, rows * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dColumns, columns.data(), slots * sizeof(int),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dValues, values.data(), slots * sizeof(float),
                        cudaMemcpyHostToDevice));

  for (int product = 0; product < products; product++) {
    CUDA_CHECK(
        cudaMemcpy(dX, x.data(), rows * sizeof(float), cudaMemcpyHostToDevice));
    spmvEll<<<(rows + 255) / 256, 256>>>(dColumns, dValues, dX, dY, rows);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(
        cudaMemcpy(y.data(), dY, rows * sizeof(float), cudaMemcpyDeviceToHost));
    x = y;
    normalise(x);
  }

  printResult("y", y);
  if (check) {
    std::vector<double> now(rows, 1.0), next(rows);
    for (int product = 0; product < products; product++) {
      if (product > 0) {
        now = next;
        normalise(now);
      }
      for (int row = 0; row < rows; row++) {
        next[row] = 0;
        for (size_t k = (size_t)row * SLOTS; k < (size_t)(row + 1) * SLOTS; k++)
          if (columns[k] >= 0)
            next[row] += values[k] * now[columns[k]];
      }
    }
    double worst = 0;
    for (int row = 0; row < rows; row++)
      worst = std::max(worst, relativeError(y[row], next[row]));
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dColumns));
  CUDA_CHECK(cudaFree(dValues));
  CUDA_CHECK(cudaFree(dX));
  CUDA_CHECK(cudaFree(dY));
  return 0;
}
