// Matrix product C = A * B of halves, summed up in float, bias and rectifier at
// the end, as a layer of a network.
// Naive: one 2-byte element of A and of B for each product, no reuse, nothing
// on the tensor cores.
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

#define BLOCK_EDGE 16

__global__ void matmulHalf(const half *A, const half *B, const float *bias,
                           half *C, int N) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < N && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < N; k++)
      sum += __half2float(A[row * N + k]) * __half2float(B[k * N + col]);
    sum += bias[col];
    C[row * N + col] = __float2half(sum > 0.0f ? sum : 0.0f);
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

// No single element: another order of the sums may round it to a neighbour.
static void printResult(const char *name, const std::vector<half> &v) {
  double sum = 0, weighted = 0;
  for (size_t i = 0; i < v.size(); i++) {
    double x = __half2float(v[i]);
    sum += x;
    weighted += x * (1 + i % 97);
  }
  printf("%s sum %.6e weighted %.6e\n", name, sum, weighted);
}

static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1e-3);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

// Compares up to 256 elements spread over C with sums on the host.
static double checkSample(const std::vector<half> &A,
                          const std::vector<half> &B,
                          const std::vector<float> &bias,
                          const std::vector<half> &C, int n) {
  double worst = 0;
  size_t total = (size_t)n * n, step = std::max<size_t>(1, total / 256) | 1;
  for (size_t i = 0; i < total; i += step) {
    size_t row = i / n, col = i % n;
    double want = bias[col];
    for (int k = 0; k < n; k++)
      want += (double)__half2float(A[row * n + k]) *
              __half2float(B[(size_t)k * n + col]);
    worst =
        std::max(worst, relativeError(__half2float(C[i]), std::max(want, 0.0)));
  }
  return worst;
}

int main(int argc, char **argv) {
  int n = 2048;
  bool check = false;
  parseArgs(argc, argv, 8192, &n, &check);

  size_t count = (size_t)n * n, bytes = count * sizeof(half);
  std::vector<half> A(count), B(count), C(count);
  std::vector<float> bias(n);
  Lcg random;
  for (size_t i = 0; i < count; i++) {
    A[i] = __float2half(random.uniform());
    B[i] = __float2half(random.uniform() - 0.25f);
  }
  for (int i = 0; i < n; i++)
    bias[i] = random.uniform() - 0.5f;

  half *dA, *dB, *dC;
  float *dBias;
  CUDA_CHECK(cudaMalloc(&dA, bytes));
  CUDA_CHECK(cudaMalloc(&dB, bytes));
  CUDA_CHECK(cudaMalloc(&dC, bytes));
  CUDA_CHECK(cudaMalloc(&dBias, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dB, B.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dBias, bias.data(), n * sizeof(float),
                        cudaMemcpyHostToDevice));

  dim3 block(BLOCK_EDGE, BLOCK_EDGE);
  dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
  matmulHalf<<<grid, block>>>(dA, dB, dBias, dC, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(C.data(), dC, bytes, cudaMemcpyDeviceToHost));

  printResult("C", C);
  if (check) {
    double worst = checkSample(A, B, bias, C, n);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 2e-3) // a half has 11 digits
      return 3;
  }
  CUDA_CHECK(cudaFree(dA));
  CUDA_CHECK(cudaFree(dB));
  CUDA_CHECK(cudaFree(dC));
  CUDA_CHECK(cudaFree(dBias));
  return 0;
}
