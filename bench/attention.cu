// Attention of one head: scores = Q * K^T, softmax of their rows, times V.
// Naive: three kernels through a full score matrix; K read a row apart; a
// thread per softmax row, in place, with a division for each element; sums in
// global memory.
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

#define DEPTH 64

__global__ void scoresKernel(float *Q, float *K, float *S, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    float sum = 0.0f;
    for (int d = 0; d < DEPTH; d++)
      sum += Q[i * DEPTH + d] * K[j * DEPTH + d];
    S[i * n + j] = sum / sqrt((double)DEPTH);
  }
}

__global__ void softmaxKernel(float *S, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float *row = S + (size_t)i * n;
  float largest = -INFINITY;
  for (int j = 0; j < n; j++)
    largest = fmaxf(largest, row[j]);
  float sum = 0.0f;
  for (int j = 0; j < n; j++) {
    row[j] = expf(row[j] - largest);
    sum += row[j];
  }
  for (int j = 0; j < n; j++)
    row[j] /= sum;
}

__global__ void weightedSum(float *S, float *V, float *O, int n) {
  int d = threadIdx.x; // a block per row, a thread per column of V
  int i = blockIdx.x;
  O[i * DEPTH + d] = 0.0f;
  for (int j = 0; j < n; j++)
    O[i * DEPTH + d] += S[i * n + j] * V[j * DEPTH + d];
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

// One row of the result, in double.
static std::vector<double> referenceRow(const std::vector<float> &Q,
                                        const std::vector<float> &K,
                                        const std::vector<float> &V, int n,
                                        int row) {
  std::vector<double> weight(n), out(DEPTH, 0.0);
  double sum = 0;
  for (int j = 0; j < n; j++) {
    double product = 0;
    for (int d = 0; d < DEPTH; d++)
      product += (double)Q[(size_t)row * DEPTH + d] * K[(size_t)j * DEPTH + d];
    weight[j] = exp(product / sqrt((double)DEPTH));
    sum += weight[j];
  }
  for (int j = 0; j < n; j++)
    for (int d = 0; d < DEPTH; d++)
      out[d] += weight[j] / sum * V[(size_t)j * DEPTH + d];
  return out;
}

int main(int argc, char **argv) {
  int n = 2048;
  bool check = false;
  parseArgs(argc, argv, 16384, &n, &check);

  size_t count = (size_t)n * DEPTH, bytes = count * sizeof(float);
  std::vector<float> Q(count), K(count), V(count), O(count);
  Lcg random;
  for (size_t i = 0; i < count; i++) {
    Q[i] = 2.0f * random.uniform() - 1.0f;
    K[i] = 2.0f * random.uniform() - 1.0f;
    V[i] = random.uniform();
  }

  float *dQ, *dK, *dV, *dS, *dO;
  CUDA_CHECK(cudaMalloc(&dQ, bytes));
  CUDA_CHECK(cudaMalloc(&dK, bytes));
  CUDA_CHECK(cudaMalloc(&dV, bytes));
  CUDA_CHECK(cudaMalloc(&dO, bytes));
  CUDA_CHECK(cudaMalloc(&dS, (size_t)n * n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dQ, Q.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dK, K.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dV, V.data(), bytes, cudaMemcpyHostToDevice));

  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
  scoresKernel<<<grid, block>>>(dQ, dK, dS, n);
  softmaxKernel<<<(n + 63) / 64, 64>>>(dS, n);
  weightedSum<<<n, DEPTH>>>(dS, dV, dO, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(O.data(), dO, bytes, cudaMemcpyDeviceToHost));

  printResult("O", O);
  if (check) {
    double worst = 0;
    for (int row = 0; row < n; row += 1 + n / 32) {
      std::vector<double> want = referenceRow(Q, K, V, n, row);
      for (int d = 0; d < DEPTH; d++)
        worst =
            std::max(worst, relativeError(O[(size_t)row * DEPTH + d], want[d]));
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dQ));
  CUDA_CHECK(cudaFree(dK));
  CUDA_CHECK(cudaFree(dV));
  CUDA_CHECK(cudaFree(dO));
  CUDA_CHECK(cudaFree(dS));
  return 0;
}
