// Mean and spread of segments of uneven length, one thread per segment.
// Naive: both sums live in an array of structures in global memory, the
// segment's end is re-read at each step, two passes, precise division inside.
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

struct Moments {
  float mean;
  float spread;
  int count;
};

__global__ void segmentMoments(float *values, int *offsets, Moments *out,
                               int segments) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments)
    return;
  out[s].count = offsets[s + 1] - offsets[s];
  out[s].mean = 0.0f;
  for (int i = offsets[s]; i < offsets[s + 1]; i++)
    out[s].mean += values[i] / out[s].count;
  out[s].spread = 0.0f;
  for (int i = offsets[s]; i < offsets[s + 1]; i++)
    out[s].spread += (values[i] - out[s].mean) * (values[i] - out[s].mean);
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

int main(int argc, char **argv) {
  int segments = 1 << 16;
  bool check = false;
  parseArgs(argc, argv, 1 << 20, &segments, &check);

  // Every seventh segment is empty, a few are long.
  std::vector<int> offsets(segments + 1);
  Lcg random;
  for (int s = 0; s < segments; s++) {
    int length = s % 7 == 3 ? 0 : 1 + random.bits() % 64;
    offsets[s + 1] = offsets[s] + (s % 101 == 5 ? 8 * length : length);
  }
  int count = offsets[segments];
  std::vector<float> values(count);
  for (float &v : values)
    v = random.uniform();

  float *dValues;
  int *dOffsets;
  Moments *dOut;
  CUDA_CHECK(cudaMalloc(&dValues, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dOffsets, offsets.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dOut, segments * sizeof(Moments)));
  CUDA_CHECK(cudaMemcpy(dValues, values.data(), count * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dOffsets, offsets.data(), offsets.size() * sizeof(int),
                        cudaMemcpyHostToDevice));

  for (int run = 0; run < 5; run++) {
    segmentMoments<<<(segments + 127) / 128, 128>>>(dValues, dOffsets, dOut,
                                                    segments);
    CUDA_CHECK(cudaGetLastError());
  }
  std::vector<Moments> moments(segments);
  CUDA_CHECK(cudaMemcpy(moments.data(), dOut, segments * sizeof(Moments),
                        cudaMemcpyDeviceToHost));

  std::vector<float> means, spreads;
  for (const Moments &m : moments) {
    means.push_back(m.mean);
    spreads.push_back(m.spread);
  }
  printResult("mean", means);
  printResult("spread", spreads);
  if (check) {
    double worst = 0;
    for (int s = 0; s < segments; s++) {
      double mean = 0, spread = 0;
      int length = offsets[s + 1] - offsets[s];
      for (int i = offsets[s]; i < offsets[s + 1]; i++)
        mean += (double)values[i] / length;
      for (int i = offsets[s]; i < offsets[s + 1]; i++)
        spread += (values[i] - mean) * (values[i] - mean);
      worst = std::max({worst, relativeError(means[s], mean),
                        relativeError(spreads[s], spread)});
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dValues));
  CUDA_CHECK(cudaFree(dOffsets));
  CUDA_CHECK(cudaFree(dOut));
  return 0;
}
