// Histogram as an expert writes it: each thread counts in bytes of its own in
// shared memory, so there are neither atomics nor bank conflicts however the
// values are spread; counters of a thread lie in one bank. They are added up
// once, at the end, before a byte can overflow.
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

constexpr int BINS = 256, THREADS = 256;
constexpr int SHARED_BYTES = BINS * THREADS; // a byte a thread and bin
constexpr int MOST_VALUES = 252;             // a thread: a byte holds 255
constexpr int BLOCKS_PER_SM = 3;             // of 64 KB each
constexpr int AT_ONCE = 4;                   // uint4 in flight a thread

__device__ void count(unsigned char *mine, unsigned int value) {
  unsigned int bin = value & (BINS - 1);
  // Four bins to a word, a word a thread, THREADS words to a row.
  mine[(bin / 4) * (THREADS * 4) + bin % 4]++;
}

__global__ void __launch_bounds__(THREADS)
    histogram(const unsigned int *__restrict__ values,
              unsigned int *__restrict__ bins, int count4, int left) {
  extern __shared__ uint4 shared[];
  unsigned char *counters = reinterpret_cast<unsigned char *>(shared);
  int tid = threadIdx.x;
  for (int i = tid; i < SHARED_BYTES / 16; i += THREADS)
    shared[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();

  unsigned char *mine = counters + 4 * tid;
  const uint4 *four = reinterpret_cast<const uint4 *>(values);
  int step = gridDim.x * THREADS, first = blockIdx.x * THREADS + tid;
  for (int i = first; i < count4; i += AT_ONCE * step) {
    uint4 v[AT_ONCE]; // all in flight before the first is counted
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      if (i + k * step < count4)
        v[k] = __ldcs(four + i + k * step);
#pragma unroll
    for (int k = 0; k < AT_ONCE; k++)
      if (i + k * step < count4) {
        count(mine, v[k].x), count(mine, v[k].y);
        count(mine, v[k].z), count(mine, v[k].w);
      }
  }
  if (first < left)
    count(mine, values[4 * count4 + first]);
  __syncthreads();

  // Thread 4 * g + q adds the bytes of the four bins of group g over a quarter
  // of the threads, two bins in a word; the other order keeps banks apart.
  const unsigned int *words = reinterpret_cast<const unsigned int *>(shared);
  int group = tid / 4, quarter = tid % 4, lane = tid % 32;
  unsigned int even = 0, odd = 0;
  for (int j = 0; j < THREADS / 4; j++) {
    int thread = quarter * (THREADS / 4) + (j + lane) % (THREADS / 4);
    unsigned int w = words[group * THREADS + thread];
    even += w & 0x00ff00ffu;
    odd += w >> 8 & 0x00ff00ffu;
  }
  unsigned int sums[4] = {even & 0xffff, odd & 0xffff, even >> 16, odd >> 16};
#pragma unroll
  for (int b = 0; b < 4; b++) {
    sums[b] += __shfl_xor_sync(0xffffffffu, sums[b], 1);
    sums[b] += __shfl_xor_sync(0xffffffffu, sums[b], 2);
  }
  unsigned int sum = quarter == 0   ? sums[0]
                     : quarter == 1 ? sums[1]
                     : quarter == 2 ? sums[2]
                                    : sums[3];
  if (sum > 0)
    atomicAdd(&bins[tid], sum);
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

  const unsigned int numBins = BINS;
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

  // As many blocks as run at once, more if a byte could overflow.
  int sms, count4 = count / 4;
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA_CHECK(cudaFuncSetAttribute(
      histogram, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
  int most = THREADS * (MOST_VALUES / 4 - 1);
  int blocks = std::max((count4 + most - 1) / most, BLOCKS_PER_SM * sms);
  blocks = std::max(1, std::min(blocks, (count4 + THREADS - 1) / THREADS));
  for (int run = 0; run < 5; run++) {
    CUDA_CHECK(cudaMemset(dBins, 0, numBins * sizeof(unsigned int)));
    histogram<<<blocks, THREADS, SHARED_BYTES>>>(dValues, dBins, count4,
                                                 count % 4);
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
