// Pi by random points, a small generator in each thread.
// Naive: an atomic on one global counter for each point inside, square root
// and pow where a comparison of squares does, double arithmetic.
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

#define POINTS_PER_THREAD 64

__host__ __device__ unsigned int nextRandom(unsigned int *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

__global__ void countInside(unsigned long long *inside, int threads) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads)
    return;
  unsigned int state = 7919u * t + 12345u;
  for (int p = 0; p < POINTS_PER_THREAD; p++) {
    double x = nextRandom(&state) / 16777216.0;
    double y = nextRandom(&state) / 16777216.0;
    if (sqrt(pow(x, 2) + pow(y, 2)) < 1.0)
      atomicAdd(inside, 1ull);
  }
}

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
  int threads = 1 << 19;
  bool check = false;
  parseArgs(argc, argv, 1 << 24, &threads, &check);

  unsigned long long *dInside, inside = 0;
  CUDA_CHECK(cudaMalloc(&dInside, sizeof(inside)));
  CUDA_CHECK(cudaMemset(dInside, 0, sizeof(inside)));
  countInside<<<(threads + 127) / 128, 128>>>(dInside, threads);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(
      cudaMemcpy(&inside, dInside, sizeof(inside), cudaMemcpyDeviceToHost));

  double points = (double)threads * POINTS_PER_THREAD;
  printf("inside %.9e of %.9e\n", (double)inside, points);
  printf("pi %.9f\n", 4.0 * inside / points);
  if (check) {
    unsigned long long want = 0;
    for (int t = 0; t < threads; t++) {
      unsigned int state = 7919u * t + 12345u;
      for (int p = 0; p < POINTS_PER_THREAD; p++) {
        double x = nextRandom(&state) / 16777216.0;
        double y = nextRandom(&state) / 16777216.0;
        if (x * x + y * y < 1.0)
          want++;
      }
    }
    // A point on the circle itself may fall to either side.
    double worst = relativeError((double)inside, (double)want);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-6)
      return 3;
  }
  CUDA_CHECK(cudaFree(dInside));
  return 0;
}
