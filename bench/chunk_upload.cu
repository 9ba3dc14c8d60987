// Features of a long signal, computed chunk by chunk: each chunk is copied to
// the device, treated and copied back before the next one.
// Naive: pageable memory, one stream, a wait for each chunk, constants
// uploaded again each time, expf and division for each element.
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

#define CHUNKS 16

struct Scale {
  float mean, spread, slope;
};

__global__ void normaliseChunk(float *chunk, Scale *scale, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length) {
    chunk[i] = (chunk[i] - scale->mean) / scale->spread;
    chunk[i] = 1.0 / (1.0 + exp(-scale->slope * chunk[i]));
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
  int length = 1 << 20;
  bool check = false;
  parseArgs(argc, argv, 1 << 24, &length, &check);

  // The last chunk is shorter.
  size_t count = (size_t)CHUNKS * length - length / 3;
  std::vector<float> signal(count), result(count);
  Lcg random;
  for (float &v : signal)
    v = random.uniform();

  float *dChunk;
  Scale *dScale;
  CUDA_CHECK(cudaMalloc(&dChunk, length * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dScale, sizeof(Scale)));
  for (int c = 0; c < CHUNKS; c++) {
    size_t first = (size_t)c * length;
    int here = (int)std::min<size_t>(length, count - first);
    Scale scale = {0.5f, 0.25f + 0.01f * c, 1.5f};
    CUDA_CHECK(
        cudaMemcpy(dScale, &scale, sizeof(Scale), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(dChunk, &signal[first], here * sizeof(float),
                          cudaMemcpyHostToDevice));
    normaliseChunk<<<(here + 255) / 256, 256>>>(dChunk, dScale, here);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(&result[first], dChunk, here * sizeof(float),
                          cudaMemcpyDeviceToHost));
  }

  printResult("features", result);
  if (check) {
    double worst = 0;
    for (size_t i = 0; i < count; i += 1 + count / 50000) {
      double spread = 0.25 + 0.01 * (i / length);
      double want = 1.0 / (1.0 + exp(-1.5 * (signal[i] - 0.5) / spread));
      worst = std::max(worst, relativeError(result[i], want));
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dChunk));
  CUDA_CHECK(cudaFree(dScale));
  return 0;
}
