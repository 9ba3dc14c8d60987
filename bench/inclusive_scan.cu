// Inclusive prefix sums: Hillis-Steele in each block, scan of the blocks' sums
// by one thread, then they are added.
// Naive: n log n additions, two barriers a step, 64-bit sums walked by a
// single thread, a third pass over the data, an in-place addition.
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

#define BLOCK_SIZE 512

__global__ void scanBlocks(unsigned int *in, unsigned int *out,
                           unsigned int *sums, int n) {
  __shared__ unsigned int temp[BLOCK_SIZE];
  int tid = threadIdx.x;
  int i = blockIdx.x * BLOCK_SIZE + tid;
  temp[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (int offset = 1; offset < BLOCK_SIZE; offset *= 2) {
    unsigned int add = 0;
    if (tid >= offset)
      add = temp[tid - offset];
    __syncthreads();
    temp[tid] += add;
    __syncthreads();
  }
  if (i < n)
    out[i] = temp[tid];
  if (tid == BLOCK_SIZE - 1)
    sums[blockIdx.x] = temp[tid];
}

__global__ void scanSums(unsigned int *sums, int count) {
  for (int b = 1; b < count; b++)
    sums[b] += sums[b - 1];
}

__global__ void addSums(unsigned int *out, unsigned int *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i / BLOCK_SIZE > 0)
    out[i] += sums[i / BLOCK_SIZE - 1];
}

// Small deterministic generator: the same numbers on every machine.
struct Lcg {
  unsigned state = 12345u;
  unsigned bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
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

static void printResult(const char *name, const std::vector<unsigned int> &v) {
  double sum = 0, weighted = 0;
  unsigned int low = v[0], high = v[0];
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

int main(int argc, char **argv) {
  int n = 1 << 22;
  bool check = false;
  parseArgs(argc, argv, 1 << 27, &n, &check);

  std::vector<unsigned int> values(n), scanned(n);
  Lcg random;
  for (unsigned int &v : values)
    v = random.bits() % 20;

  int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  size_t bytes = n * sizeof(unsigned int);
  unsigned int *dIn, *dOut, *dSums;
  CUDA_CHECK(cudaMalloc(&dIn, bytes));
  CUDA_CHECK(cudaMalloc(&dOut, bytes));
  CUDA_CHECK(cudaMalloc(&dSums, blocks * sizeof(unsigned int)));
  CUDA_CHECK(cudaMemcpy(dIn, values.data(), bytes, cudaMemcpyHostToDevice));

  for (int run = 0; run < 3; run++) {
    scanBlocks<<<blocks, BLOCK_SIZE>>>(dIn, dOut, dSums, n);
    scanSums<<<1, 1>>>(dSums, blocks);
    addSums<<<(n + 255) / 256, 256>>>(dOut, dSums, n);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaMemcpy(scanned.data(), dOut, bytes, cudaMemcpyDeviceToHost));

  printResult("scan", scanned);
  if (check) {
    // Integers: all must be equal.
    double worst = 0;
    unsigned int sum = 0;
    for (int i = 0; i < n; i++) {
      sum += values[i];
      if (scanned[i] != sum)
        worst = 1;
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 0)
      return 3;
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dOut));
  CUDA_CHECK(cudaFree(dSums));
  return 0;
}
