// Sum of a large array: tree reduction in shared memory, repeated over the
// partial sums until one is left.
// Naive: interleaved addressing with a modulo, so the threads of a warp
// diverge, and a barrier for each level down to the last.
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

__global__ void reduceSum(float *in, float *out, int n) {
  __shared__ float partial[BLOCK_SIZE];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  partial[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();

  for (int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0)
      partial[tid] += partial[tid + s];
    __syncthreads();
  }

  if (tid == 0)
    out[blockIdx.x] = partial[0];
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

static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1e-3);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

int main(int argc, char **argv) {
  int n = 1 << 25;
  bool check = false;
  parseArgs(argc, argv, 1 << 28, &n, &check);

  std::vector<float> in(n);
  Lcg random;
  for (float &v : in)
    v = random.uniform();

  int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  float *dIn, *dPartial, *dNext;
  CUDA_CHECK(cudaMalloc(&dIn, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dPartial, blocks * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dNext, blocks * sizeof(float)));
  CUDA_CHECK(
      cudaMemcpy(dIn, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  // The first level's partial sums stay in dPartial, to be printed.
  float *dTotal = dPartial;
  for (int run = 0; run < 5; run++) {
    reduceSum<<<blocks, BLOCK_SIZE>>>(dIn, dPartial, n);
    CUDA_CHECK(cudaGetLastError());
  }
  std::vector<float> partial(blocks);
  CUDA_CHECK(cudaMemcpy(partial.data(), dPartial, blocks * sizeof(float),
                        cudaMemcpyDeviceToHost));
  float *dScratch = dNext;
  for (int left = blocks; left > 1;) {
    int next = (left + BLOCK_SIZE - 1) / BLOCK_SIZE;
    reduceSum<<<next, BLOCK_SIZE>>>(dTotal, dScratch, left);
    CUDA_CHECK(cudaGetLastError());
    std::swap(dTotal, dScratch);
    left = next;
  }
  float total = 0;
  CUDA_CHECK(cudaMemcpy(&total, dTotal, sizeof(float), cudaMemcpyDeviceToHost));

  printf("total %.6e\n", total);
  printf("partial samples %.6e %.6e %.6e\n", partial[0], partial[blocks / 2],
         partial[blocks - 1]);
  if (check) {
    double want = 0, worst = 0;
    for (int b = 0; b < blocks; b++) {
      double sum = 0;
      for (int i = b * BLOCK_SIZE; i < std::min(n, (b + 1) * BLOCK_SIZE); i++)
        sum += in[i];
      worst = std::max(worst, relativeError(partial[b], sum));
      want += sum;
    }
    worst = std::max(worst, relativeError(total, want));
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dPartial));
  CUDA_CHECK(cudaFree(dNext));
  return 0;
}
