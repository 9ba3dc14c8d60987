// Layer normalisation of each row with a gain and a bias, one thread per row.
// Naive: three passes over uncoalesced rows, double literals and a double
// division per element, the inverse deviation recomputed in the loop.
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

#define THREADS 128
#define EPSILON 1e-5

__global__ void layerNorm(float *x, float *gamma, float *beta, float *y,
                          int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float mean = 0.0;
    for (int c = 0; c < cols; c++)
      mean += x[row * cols + c];
    mean /= cols;

    float var = 0.0;
    for (int c = 0; c < cols; c++)
      var += (x[row * cols + c] - mean) * (x[row * cols + c] - mean);
    var /= cols;

    for (int c = 0; c < cols; c++) {
      y[row * cols + c] =
          (x[row * cols + c] - mean) * (1.0 / sqrt(var + EPSILON));
      y[row * cols + c] = y[row * cols + c] * gamma[c] + beta[c];
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

// Normalised values are of order one and may be close to zero.
static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1.0);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

static double checkSample(const std::vector<float> &x,
                          const std::vector<float> &gamma,
                          const std::vector<float> &beta,
                          const std::vector<float> &y, int rows, int cols) {
  double worst = 0;
  for (int r = 0; r < rows; r += std::max(1, rows / 64)) {
    const float *in = &x[(size_t)r * cols];
    double mean = 0, var = 0;
    for (int c = 0; c < cols; c++)
      mean += in[c];
    mean /= cols;
    for (int c = 0; c < cols; c++)
      var += (in[c] - mean) * (in[c] - mean);
    var /= cols;
    for (int c = 0; c < cols; c++) {
      double want = (in[c] - mean) / sqrt(var + EPSILON) * gamma[c] + beta[c];
      worst = std::max(worst, relativeError(y[(size_t)r * cols + c], want));
    }
  }
  return worst;
}

int main(int argc, char **argv) {
  int rows = 8192;
  bool check = false;
  parseArgs(argc, argv, 1 << 20, &rows, &check);
  int cols = std::min(rows, 768);

  size_t count = (size_t)rows * cols, bytes = count * sizeof(float);
  std::vector<float> x(count), gamma(cols), beta(cols), y(count);
  Lcg random;
  for (float &v : x)
    v = 3.0f * random.uniform();
  for (int c = 0; c < cols; c++) {
    gamma[c] = 0.5f + random.uniform();
    beta[c] = 0.5f + random.uniform();
  }

  float *dX, *dGamma, *dBeta, *dY;
  CUDA_CHECK(cudaMalloc(&dX, bytes));
  CUDA_CHECK(cudaMalloc(&dGamma, cols * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dBeta, cols * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dY, bytes));
  CUDA_CHECK(cudaMemcpy(dX, x.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dGamma, gamma.data(), cols * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dBeta, beta.data(), cols * sizeof(float),
                        cudaMemcpyHostToDevice));

  for (int run = 0; run < 5; run++) {
    layerNorm<<<(rows + THREADS - 1) / THREADS, THREADS>>>(dX, dGamma, dBeta,
                                                           dY, rows, cols);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(y.data(), dY, bytes, cudaMemcpyDeviceToHost));

  printResult("y", y);
  if (check) {
    double worst = checkSample(x, gamma, beta, y, rows, cols);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dX));
  CUDA_CHECK(cudaFree(dGamma));
  CUDA_CHECK(cudaFree(dBeta));
  CUDA_CHECK(cudaFree(dY));
  return 0;
}
