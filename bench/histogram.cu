// Histogram of unsigned values into a run-time number of bins.
// Naive: every thread does one atomic on global memory, half of the values
// fall into few bins, and the bin comes from a run-time modulo.
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

__global__ void histogram(unsigned int *values, unsigned int *bins, int count,
                          unsigned int numBins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    atomicAdd(&bins[values[i] % numBins], 1u);
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

static void printResult(const std::vector<unsigned int> &bins) {
  double total = 0, weighted = 0, squares = 0;
  for (size_t i = 0; i < bins.size(); i++) {
    total += bins[i];
    weighted += (double)bins[i] * (i + 1);
    squares += (double)bins[i] * bins[i];
  }
  printf("bins total %.6e weighted %.6e squares %.6e\n", total, weighted,
         squares);
  for (size_t i = 0; i < bins.size(); i += 51)
    printf("bin %.6e count %.6e\n", (double)i, (double)bins[i]);
}

// Counts are integers: the whole histogram must be equal.
static double checkAll(const std::vector<unsigned int> &values,
                       const std::vector<unsigned int> &bins) {
  std::vector<unsigned int> want(bins.size());
  for (unsigned int v : values)
    want[v % bins.size()]++;
  double worst = 0;
  for (size_t i = 0; i < bins.size(); i++)
    worst = std::max(worst, fabs((double)bins[i] - (double)want[i]) /
                                std::max(1.0, (double)want[i]));
  return worst;
}

int main(int argc, char **argv) {
  int count = 1 << 24;
  bool check = false;
  parseArgs(argc, argv, 1 << 27, &count, &check);

  const unsigned int numBins = 256;
  std::vector<unsigned int> values(count), bins(numBins);
  Lcg random;
  for (unsigned int &v : values) {
    unsigned int bits = random.bits();
    v = (bits & 1) ? bits >> 1 : (bits >> 1) & 15;
  }

  unsigned int *dValues, *dBins;
  CUDA_CHECK(cudaMalloc(&dValues, count * sizeof(unsigned int)));
  CUDA_CHECK(cudaMalloc(&dBins, numBins * sizeof(unsigned int)));
  CUDA_CHECK(cudaMemcpy(dValues, values.data(), count * sizeof(unsigned int),
                        cudaMemcpyHostToDevice));

  int blocks = (count + BLOCK_SIZE - 1) / BLOCK_SIZE;
  for (int run = 0; run < 5; run++) {
    CUDA_CHECK(cudaMemset(dBins, 0, numBins * sizeof(unsigned int)));
    histogram<<<blocks, BLOCK_SIZE>>>(dValues, dBins, count, numBins);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(bins.data(), dBins, numBins * sizeof(unsigned int),
                        cudaMemcpyDeviceToHost));

  printResult(bins);
  if (check) {
    double worst = checkAll(values, bins);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 0.0)
      return 3;
  }
  CUDA_CHECK(cudaFree(dValues));
  CUDA_CHECK(cudaFree(dBins));
  return 0;
}
