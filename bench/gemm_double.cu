// C = alpha * A * B + beta * C in double, as in BLAS, row-major with strides.
// Naive: alpha and beta are read from memory, alpha multiplies in the loop,
// the row comes from threadIdx.x.
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

typedef double real;
#define BLOCK_EDGE 16

__global__ void dgemm(int m, int n, int k, const real *alpha, const real *A,
                      int lda, const real *B, int ldb, const real *beta,
                      real *C, int ldc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n) {
    real sum = *beta * C[i * ldc + j];
    for (int l = 0; l < k; l++)
      sum += *alpha * A[i * lda + l] * B[l * ldb + j];
    C[i * ldc + j] = sum;
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

static void printResult(const char *name, const std::vector<double> &v) {
  double sum = 0, weighted = 0;
  double low = v[0], high = v[0];
  for (size_t i = 0; i < v.size(); i++) {
    sum += (double)v[i];
    weighted += (double)v[i] * (1 + i % 97);
    low = std::min(low, v[i]);
    high = std::max(high, v[i]);
  }
  printf("%s sum %.6e weighted %.6e min %.6e max %.6e\n", name, sum, weighted,
         (double)low, (double)high);
  printf("%s samples %.6e %.6e %.6e %.6e\n", name, (double)v[0],
         (double)v[v.size() / 3], (double)v[v.size() / 2],
         (double)v[v.size() - 1]);
}

static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1e-3);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

// Compares up to 256 elements spread over C with sums on the host.
static double checkSample(const std::vector<real> &A,
                          const std::vector<real> &B,
                          const std::vector<real> &start,
                          const std::vector<real> &C, int n, int stride,
                          const real *scale) {
  double worst = 0;
  size_t total = (size_t)n * n, step = std::max<size_t>(1, total / 256) | 1;
  for (size_t i = 0; i < total; i += step) {
    size_t row = i / n, col = i % n;
    double product = 0;
    for (int l = 0; l < n; l++)
      product += A[row * stride + l] * B[(size_t)l * stride + col];
    double want = scale[0] * product + scale[1] * start[row * stride + col];
    worst = std::max(worst, relativeError(C[row * stride + col], want));
  }
  return worst;
}

int main(int argc, char **argv) {
  int n = 1024;
  bool check = false;
  parseArgs(argc, argv, 4096, &n, &check);

  // The rows are padded; what lies in the padding must stay as it is.
  int stride = n + 7;
  size_t count = (size_t)n * stride, bytes = count * sizeof(real);
  const real scale[2] = {1.25, -0.5};
  std::vector<real> A(count), B(count), start(count), C(count);
  Lcg random;
  for (size_t i = 0; i < count; i++) {
    A[i] = 1.0 + random.uniform();
    B[i] = 1.0 + random.uniform();
    start[i] = random.uniform();
  }

  real *dA, *dB, *dC, *dScale;
  CUDA_CHECK(cudaMalloc(&dA, bytes));
  CUDA_CHECK(cudaMalloc(&dB, bytes));
  CUDA_CHECK(cudaMalloc(&dC, bytes));
  CUDA_CHECK(cudaMalloc(&dScale, sizeof(scale)));
  CUDA_CHECK(cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dB, B.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dC, start.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dScale, scale, sizeof(scale), cudaMemcpyHostToDevice));

  dim3 block(BLOCK_EDGE, BLOCK_EDGE);
  dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
  dgemm<<<grid, block>>>(n, n, n, dScale, dA, stride, dB, stride, dScale + 1,
                         dC, stride);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(C.data(), dC, bytes, cudaMemcpyDeviceToHost));

  printResult("C", C);
  if (check) {
    double worst = checkSample(A, B, start, C, n, stride, scale);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-10)
      return 3;
  }
  CUDA_CHECK(cudaFree(dA));
  CUDA_CHECK(cudaFree(dB));
  CUDA_CHECK(cudaFree(dC));
  CUDA_CHECK(cudaFree(dScale));
  return 0;
}
