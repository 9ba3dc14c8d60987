// Bitonic sort of integers, in place: a launch for each step of each stage.
// Naive: every step goes through global memory, half of the threads do
// nothing, and short distances are not kept within a block.
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

#define SWAP(a, b)                                                             \
  do {                                                                         \
    int t = (a);                                                               \
    (a) = (b);                                                                 \
    (b) = t;                                                                   \
  } while (0)

__global__ void bitonicStep(int *keys, int distance, int stage, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int partner = i ^ distance;
  if (i >= count || partner <= i)
    return;
  if ((i & stage) == 0) {
    if (keys[i] > keys[partner])
      SWAP(keys[i], keys[partner]);
  } else {
    if (keys[i] < keys[partner])
      SWAP(keys[i], keys[partner]);
  }
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

static void printResult(const char *name, const std::vector<int> &v) {
  double sum = 0, weighted = 0;
  int low = v[0], high = v[0];
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
  int n = 1 << 20;
  bool check = false;
  parseArgs(argc, argv, 1 << 26, &n, &check);

  // The array is filled up to a power of two with keys larger than all others.
  int count = 1;
  while (count < n)
    count *= 2;
  std::vector<int> keys(count, 1 << 30);
  Lcg random;
  for (int i = 0; i < n; i++)
    keys[i] = (int)random.bits() - (1 << 23);

  int *dKeys;
  CUDA_CHECK(cudaMalloc(&dKeys, count * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(dKeys, keys.data(), count * sizeof(int),
                        cudaMemcpyHostToDevice));

  const int threads = 256;
  for (int stage = 2; stage <= count; stage *= 2)
    for (int distance = stage / 2; distance > 0; distance /= 2) {
      bitonicStep<<<(count + threads - 1) / threads, threads>>>(dKeys, distance,
                                                                stage, count);
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(cudaDeviceSynchronize());
    }

  std::vector<int> sorted(n);
  CUDA_CHECK(cudaMemcpy(sorted.data(), dKeys, n * sizeof(int),
                        cudaMemcpyDeviceToHost));
  printResult("keys", sorted);
  if (check) {
    keys.resize(n);
    std::sort(keys.begin(), keys.end());
    double worst = keys == sorted ? 0.0 : 1.0;
    printf("check: max relative error %.3e\n", worst);
    if (worst > 0)
      return 3;
  }
  CUDA_CHECK(cudaFree(dKeys));
  return 0;
}
