// Red-black Gauss-Seidel for Poisson's equation on a square, fixed border.
// Naive: neighbours are read in the array that is written (they have the other
// colour), half of the threads of each warp have nothing to do, the place is
// found by division and modulo, double literals.
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

#define SWEEPS 6

__global__ void relaxColour(float *u, float *rhs, int n, int colour) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  int i = cell / n, j = cell % n;
  if (cell >= n * n || i == 0 || j == 0 || i == n - 1 || j == n - 1)
    return;
  if ((i + j) % 2 != colour)
    return;
  u[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] +
                         u[i * n + j - 1] + u[i * n + j + 1] - rhs[i * n + j]);
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

// Value at (ci, cj) after all sweeps: only 2 * SWEEPS cells around it count.
static double referenceAt(const std::vector<float> &start,
                          const std::vector<float> &rhs, int n, int ci,
                          int cj) {
  const int reach = 2 * SWEEPS + 1;
  int i0 = std::max(0, ci - reach), i1 = std::min(n - 1, ci + reach);
  int j0 = std::max(0, cj - reach), j1 = std::min(n - 1, cj + reach);
  int width = j1 - j0 + 1;
  std::vector<double> u;
  for (int i = i0; i <= i1; i++)
    for (int j = j0; j <= j1; j++)
      u.push_back(start[(size_t)i * n + j]);
  for (int half = 0; half < 2 * SWEEPS; half++)
    for (int i = i0 + 1; i < i1; i++)
      for (int j = j0 + 1; j < j1; j++) {
        if ((i + j) % 2 != half % 2)
          continue;
        double *at = &u[(i - i0) * width + (j - j0)];
        *at = 0.25 * (at[-width] + at[width] + at[-1] + at[1] -
                      rhs[(size_t)i * n + j]);
      }
  return u[(ci - i0) * width + (cj - j0)];
}

int main(int argc, char **argv) {
  int n = 4096;
  bool check = false;
  parseArgs(argc, argv, 16384, &n, &check);

  size_t count = (size_t)n * n, bytes = count * sizeof(float);
  std::vector<float> start(count), rhs(count), result(count);
  Lcg random;
  for (size_t i = 0; i < count; i++) {
    start[i] = 1.0f + random.uniform();
    rhs[i] = 0.1f * random.uniform();
  }

  float *dU, *dRhs;
  CUDA_CHECK(cudaMalloc(&dU, bytes));
  CUDA_CHECK(cudaMalloc(&dRhs, bytes));
  CUDA_CHECK(cudaMemcpy(dU, start.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dRhs, rhs.data(), bytes, cudaMemcpyHostToDevice));

  int blocks = (int)((count + 255) / 256);
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (int colour = 0; colour < 2; colour++)
      relaxColour<<<blocks, 256>>>(dU, dRhs, n, colour);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(result.data(), dU, bytes, cudaMemcpyDeviceToHost));

  printResult("u", result);
  if (check) {
    double worst = 0;
    int step = std::max(1, n / 16);
    for (int i = 0; i < n; i += step)
      for (int j = 0; j < n; j += step)
        worst =
            std::max(worst, relativeError(result[(size_t)i * n + j],
                                          referenceAt(start, rhs, n, i, j)));
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dU));
  CUDA_CHECK(cudaFree(dRhs));
  return 0;
}
