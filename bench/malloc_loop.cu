// Batches of points with different sizes: each gets fresh device memory, the
// distance of its points from their centre is computed, the memory is freed.
// Naive: cudaMalloc and cudaFree in the loop; the centre is found by one
// block whose threads add to one word; square root of a double.
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

#define BATCHES 24
#define BLOCK_SIZE 256

__global__ void findCentre(float *points, float *centre, int count) {
  __shared__ float sums[3 * BLOCK_SIZE];
  for (int d = 0; d < 3; d++) {
    sums[threadIdx.x * 3 + d] = 0.0f;
    for (int i = threadIdx.x; i < count; i += BLOCK_SIZE)
      sums[threadIdx.x * 3 + d] += points[3 * i + d];
  }
  __syncthreads();
  if (threadIdx.x < 3) {
    centre[threadIdx.x] = 0.0f;
    for (int t = 0; t < BLOCK_SIZE; t++)
      centre[threadIdx.x] += sums[3 * t + threadIdx.x] / count;
  }
}

__global__ void distances(float *points, float *centre, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  out[i] = 0.0f;
  for (int d = 0; d < 3; d++)
    out[i] += pow(points[3 * i + d] - centre[d], 2.0);
  out[i] = sqrt((double)out[i]);
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

static double checkBatch(const std::vector<float> &points,
                         const std::vector<float> &out) {
  double centre[3] = {0, 0, 0}, worst = 0;
  for (size_t i = 0; i < points.size(); i++)
    centre[i % 3] += (double)points[i] / out.size();
  for (size_t i = 0; i < out.size(); i++) {
    double sum = 0;
    for (int d = 0; d < 3; d++)
      sum += pow(points[3 * i + d] - centre[d], 2);
    // Near the centre the difference loses digits.
    worst = std::max(worst, relativeError(0.1 + out[i], 0.1 + sqrt(sum)));
  }
  return worst;
}

int main(int argc, char **argv) {
  int largest = 1 << 16;
  bool check = false;
  parseArgs(argc, argv, 1 << 22, &largest, &check);

  std::vector<float> all;
  double worst = 0;
  Lcg random;
  for (int batch = 0; batch < BATCHES; batch++) {
    int count = 1 + random.bits() % largest;
    std::vector<float> points(3 * count), out(count);
    for (float &p : points)
      p = random.uniform();

    float *dPoints, *dCentre, *dOut;
    CUDA_CHECK(cudaMalloc(&dPoints, points.size() * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dCentre, 3 * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&dOut, count * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(dPoints, points.data(), points.size() * sizeof(float),
                          cudaMemcpyHostToDevice));
    findCentre<<<1, BLOCK_SIZE>>>(dPoints, dCentre, count);
    distances<<<(count + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(
        dPoints, dCentre, dOut, count);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out.data(), dOut, count * sizeof(float),
                          cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(dPoints));
    CUDA_CHECK(cudaFree(dCentre));
    CUDA_CHECK(cudaFree(dOut));

    all.insert(all.end(), out.begin(), out.end());
    if (check)
      worst = std::max(worst, checkBatch(points, out));
  }

  printResult("distances", all);
  if (check) {
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  return 0;
}
