// One-dimensional smoothing with a window of 2 * RADIUS + 1, several passes.
// Naive: the tile in shared memory is filled one element a thread, its halo by
// the first threads alone; the weights come from global memory; the sum lives
// there, too; threads past the end return before the barrier.
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

#define RADIUS 4
#define BLOCK_SIZE 128
#define PASSES 8

// The array has RADIUS zeros before its first and after its last element.
__global__ void smooth(float *in, float *out, float *weights, int n) {
  __shared__ float tile[BLOCK_SIZE + 2 * RADIUS];
  int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= n)
    return;
  int inBlock = n - blockIdx.x * BLOCK_SIZE;
  if (inBlock > BLOCK_SIZE)
    inBlock = BLOCK_SIZE;

  tile[threadIdx.x + RADIUS] = in[i + RADIUS];
  if (threadIdx.x == 0) {
    for (int k = 0; k < RADIUS; k++) {
      tile[k] = in[i + k];
      tile[inBlock + RADIUS + k] = in[i + inBlock + RADIUS + k];
    }
  }
  __syncthreads();

  out[i + RADIUS] = 0.0f;
  for (int k = 0; k <= 2 * RADIUS; k++)
    out[i + RADIUS] += weights[k] * tile[threadIdx.x + k];
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

// Value at `place` after all passes, from the part of the line that reaches it.
static double referenceAt(const std::vector<float> &start,
                          const std::vector<float> &weights, int n, int place) {
  int reach = RADIUS * PASSES, width = 2 * reach + 1;
  std::vector<double> now(width, 0.0), next(width, 0.0);
  for (int k = 0; k < width; k++) {
    int at = place - reach + k;
    now[k] = at < 0 || at >= n ? 0.0 : start[at + RADIUS];
  }
  for (int pass = 0; pass < PASSES; pass++) {
    for (int k = RADIUS; k < width - RADIUS; k++) {
      int at = place - reach + k;
      next[k] = 0;
      for (int w = -RADIUS; w <= RADIUS && at >= 0 && at < n; w++)
        next[k] += weights[w + RADIUS] * now[k + w];
    }
    std::swap(now, next);
  }
  return now[reach];
}

int main(int argc, char **argv) {
  int n = 1 << 24;
  bool check = false;
  parseArgs(argc, argv, 1 << 27, &n, &check);

  size_t padded = (size_t)n + 2 * RADIUS, bytes = padded * sizeof(float);
  std::vector<float> line(padded, 0.0f), result(padded);
  std::vector<float> weights(2 * RADIUS + 1);
  Lcg random;
  for (int i = 0; i < n; i++)
    line[i + RADIUS] = random.uniform();
  for (int k = 0; k < 2 * RADIUS + 1; k++)
    weights[k] = (1 + k) / 45.0f;

  float *dIn, *dOut, *dWeights;
  CUDA_CHECK(cudaMalloc(&dIn, bytes));
  CUDA_CHECK(cudaMalloc(&dOut, bytes));
  CUDA_CHECK(cudaMalloc(&dWeights, weights.size() * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dIn, line.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(dOut, 0, bytes));
  CUDA_CHECK(cudaMemcpy(dWeights, weights.data(),
                        weights.size() * sizeof(float),
                        cudaMemcpyHostToDevice));

  int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  for (int pass = 0; pass < PASSES; pass++) {
    smooth<<<blocks, BLOCK_SIZE>>>(dIn, dOut, dWeights, n);
    CUDA_CHECK(cudaGetLastError());
    std::swap(dIn, dOut);
  }
  CUDA_CHECK(cudaMemcpy(result.data(), dIn, bytes, cudaMemcpyDeviceToHost));

  printResult("line", result);
  if (check) {
    double worst = 0;
    for (int i = 0; i < n; i += 1 + n / 200)
      worst = std::max(worst, relativeError(result[i + RADIUS],
                                            referenceAt(line, weights, n, i)));
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dOut));
  CUDA_CHECK(cudaFree(dWeights));
  return 0;
}
