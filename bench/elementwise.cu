// A chain of element-wise steps on long vectors: residual, square and scale,
// update, damping.
// Naive: four kernels with scalar loads where one would do, pow(x, 2) and
// double literals in float code, nothing marked restrict.
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

__global__ void residual(float *a, float *b, float *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    r[i] = a[i] - b[i] / 3.0;
}

__global__ void squareScale(float *r, float *s, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    s[i] = scale * pow(r[i], 2) + 0.5 * r[i];
}

__global__ void saxpy(float alpha, float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = alpha * x[i] + y[i];
}

__global__ void damp(float *y, float rate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = y[i] / (1.0 + rate * pow(y[i], 2.0));
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

#define STEPS 3

static double checkSample(const std::vector<float> &a,
                          const std::vector<float> &b,
                          const std::vector<float> &y) {
  double worst = 0;
  for (size_t i = 0; i < y.size(); i += std::max<size_t>(1, y.size() / 4096)) {
    double want = 0;
    for (int step = 0; step < STEPS; step++) {
      double r = a[i] - b[i] / 3.0;
      double s = 0.25 * r * r + 0.5 * r;
      want += 1.5 * s;
      want = want / (1.0 + 0.1 * want * want);
    }
    worst = std::max(worst, relativeError(y[i], want));
  }
  return worst;
}

int main(int argc, char **argv) {
  int n = 12 * 1024 * 1024;
  bool check = false;
  parseArgs(argc, argv, 1 << 27, &n, &check);

  size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), y(n);
  Lcg random;
  for (int i = 0; i < n; i++) {
    a[i] = 1.0f + random.uniform();
    b[i] = random.uniform();
  }

  float *dA, *dB, *dR, *dS, *dY;
  CUDA_CHECK(cudaMalloc(&dA, bytes));
  CUDA_CHECK(cudaMalloc(&dB, bytes));
  CUDA_CHECK(cudaMalloc(&dR, bytes));
  CUDA_CHECK(cudaMalloc(&dS, bytes));
  CUDA_CHECK(cudaMalloc(&dY, bytes));
  CUDA_CHECK(cudaMemcpy(dA, a.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dB, b.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(dY, 0, bytes));

  dim3 block(BLOCK_SIZE);
  dim3 grid((n + BLOCK_SIZE - 1) / BLOCK_SIZE);
  for (int step = 0; step < STEPS; step++) {
    residual<<<grid, block>>>(dA, dB, dR, n);
    CUDA_CHECK(cudaGetLastError());
    squareScale<<<grid, block>>>(dR, dS, 0.25f, n);
    CUDA_CHECK(cudaGetLastError());
    saxpy<<<grid, block>>>(1.5f, dS, dY, n);
    CUDA_CHECK(cudaGetLastError());
    damp<<<grid, block>>>(dY, 0.1f, n);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(y.data(), dY, bytes, cudaMemcpyDeviceToHost));

  printResult("y", y);
  if (check) {
    double worst = checkSample(a, b, y);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dA));
  CUDA_CHECK(cudaFree(dB));
  CUDA_CHECK(cudaFree(dR));
  CUDA_CHECK(cudaFree(dS));
  CUDA_CHECK(cudaFree(dY));
  return 0;
}
