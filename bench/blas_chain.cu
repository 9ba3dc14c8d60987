// A step of an iterative solver's vector work: y += a * x, then x . y and |y|,
// then x is scaled by their quotient, which the device keeps.
// Naive: a kernel for each, partial sums through an interleaved tree, the last
// sum by one thread, square root and division anew for each element.
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
#define ROUNDS 4

__global__ void axpy(float a, float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void dot(float *x, float *y, float *partial, int n) {
  __shared__ float sums[BLOCK_SIZE];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = 0.0f;
  if (i < n)
    sums[threadIdx.x] = x[i] * y[i];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    int at = 2 * s * threadIdx.x;
    if (at < blockDim.x)
      sums[at] += sums[at + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sums[0];
}

__global__ void finish(float *partial, float *result, int count) {
  *result = 0;
  for (int i = 0; i < count; i++)
    *result += partial[i];
}

__global__ void scaleByQuotient(float *x, float *result, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] * result[0] / (sqrtf(result[1]) * sqrtf((float)n));
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
  int n = 1 << 22;
  bool check = false;
  parseArgs(argc, argv, 1 << 26, &n, &check);

  std::vector<float> x(n), y(n), X(n), Y(n);
  Lcg random;
  for (int i = 0; i < n; i++) {
    x[i] = 0.5f + random.uniform();
    y[i] = random.uniform();
  }

  int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  float *dX, *dY, *dPartial, *dResult, results[2];
  CUDA_CHECK(cudaMalloc(&dX, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dY, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dPartial, blocks * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dResult, 2 * sizeof(float)));
  CUDA_CHECK(
      cudaMemcpy(dX, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(
      cudaMemcpy(dY, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  for (int round = 0; round < ROUNDS; round++) {
    axpy<<<blocks, BLOCK_SIZE>>>(0.5f, dX, dY, n);
    dot<<<blocks, BLOCK_SIZE>>>(dX, dY, dPartial, n);
    finish<<<1, 1>>>(dPartial, &dResult[0], blocks);
    // The same vector twice: x and y of the kernel are one buffer here.
    dot<<<blocks, BLOCK_SIZE>>>(dY, dY, dPartial, n);
    finish<<<1, 1>>>(dPartial, &dResult[1], blocks);
    scaleByQuotient<<<blocks, BLOCK_SIZE>>>(dX, dResult, n);
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(
      cudaMemcpy(X.data(), dX, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(
      cudaMemcpy(Y.data(), dY, n * sizeof(float), cudaMemcpyDeviceToHost));
  CUDA_CHECK(
      cudaMemcpy(results, dResult, sizeof(results), cudaMemcpyDeviceToHost));

  printResult("x", X);
  printResult("y", Y);
  printf("dot %.4e norm %.4e\n", results[0], sqrt(results[1]));
  if (check) {
    std::vector<double> wantX(x.begin(), x.end()), wantY(y.begin(), y.end());
    double worst = 0, product = 0, norm = 0;
    for (int round = 0; round < ROUNDS; round++) {
      product = norm = 0;
      for (int i = 0; i < n; i++) {
        wantY[i] += 0.5 * wantX[i];
        product += wantX[i] * wantY[i];
        norm += wantY[i] * wantY[i];
      }
      for (int i = 0; i < n; i++)
        wantX[i] *= product / (sqrt(norm) * sqrt((double)n));
    }
    for (int i = 0; i < n; i += 1 + n / 1000)
      worst = std::max({worst, relativeError(X[i], wantX[i]),
                        relativeError(Y[i], wantY[i])});
    worst = std::max(worst, relativeError(results[0], product));
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-3) // the last sums add thousands of terms in turn
      return 3;
  }
  CUDA_CHECK(cudaFree(dX));
  CUDA_CHECK(cudaFree(dY));
  CUDA_CHECK(cudaFree(dPartial));
  CUDA_CHECK(cudaFree(dResult));
  return 0;
}
