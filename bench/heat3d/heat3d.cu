// Heat conduction in a block of varying conductivity; the kernel lives in a
// header beside this file. See kernel.cuh for what is naive in it.
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

#include "kernel.cuh"

#define STEPS 10

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

// Temperature of the cell (cx, cy, cz) after all steps. Only a patch of STEPS
// cells around it can have reached it, so only that patch is computed.
static double referenceAt(const std::vector<float> &start,
                          const std::vector<float> &kappa, int n, int cx,
                          int cy, int cz) {
  int x0 = std::max(0, cx - STEPS), x1 = std::min(n - 1, cx + STEPS);
  int y0 = std::max(0, cy - STEPS), y1 = std::min(n - 1, cy + STEPS);
  int z0 = std::max(0, cz - STEPS), z1 = std::min(n - 1, cz + STEPS);
  int sx = x1 - x0 + 1, sxy = sx * (y1 - y0 + 1);
  std::vector<double> in, k;
  for (int z = z0; z <= z1; z++)
    for (int y = y0; y <= y1; y++)
      for (int x = x0; x <= x1; x++) {
        in.push_back(start[((size_t)z * n + y) * n + x]);
        k.push_back(kappa[((size_t)z * n + y) * n + x]);
      }
  std::vector<double> out = in;
  for (int step = 0; step < STEPS; step++) {
    for (int z = 1; z < z1 - z0; z++)
      for (int y = 1; y < y1 - y0; y++)
        for (int x = 1; x < x1 - x0; x++) {
          int p = z * sxy + y * sx + x;
          out[p] =
              in[p] + k[p] / 6.0 *
                          (in[p - 1] + in[p + 1] + in[p - sx] + in[p + sx] +
                           in[p - sxy] + in[p + sxy] - 6.0 * in[p]);
        }
    std::swap(in, out);
  }
  return in[(cz - z0) * sxy + (cy - y0) * sx + (cx - x0)];
}

static double checkSample(const std::vector<float> &start,
                          const std::vector<float> &kappa,
                          const std::vector<float> &result, int n) {
  double worst = 0;
  int step = std::max(1, n / 5);
  for (int z = 0; z < n; z += step)
    for (int y = 0; y < n; y += step)
      for (int x = 0; x < n; x += step)
        worst = std::max(worst,
                         relativeError(result[((size_t)z * n + y) * n + x],
                                       referenceAt(start, kappa, n, x, y, z)));
  return worst;
}

int main(int argc, char **argv) {
  int n = 256;
  bool check = false;
  parseArgs(argc, argv, 1024, &n, &check);

  size_t count = (size_t)n * n * n, bytes = count * sizeof(float);
  std::vector<float> start(count), kappa(count), result(count);
  Lcg random;
  for (size_t i = 0; i < count; i++) {
    start[i] = 20.0f + 80.0f * random.uniform();
    kappa[i] = 0.2f + 0.7f * random.uniform();
  }

  float *dIn, *dOut, *dKappa;
  CUDA_CHECK(cudaMalloc(&dIn, bytes));
  CUDA_CHECK(cudaMalloc(&dOut, bytes));
  CUDA_CHECK(cudaMalloc(&dKappa, bytes));
  CUDA_CHECK(cudaMemcpy(dIn, start.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dKappa, kappa.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dOut, dIn, bytes, cudaMemcpyDeviceToDevice));

  dim3 block(BLOCK_X, BLOCK_Y);
  dim3 grid((n + BLOCK_X - 1) / BLOCK_X, (n + BLOCK_Y - 1) / BLOCK_Y);
  for (int step = 0; step < STEPS; step++) {
    heatStep<<<grid, block>>>(dIn, dOut, dKappa, n);
    CUDA_CHECK(cudaGetLastError());
    std::swap(dIn, dOut);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(result.data(), dIn, bytes, cudaMemcpyDeviceToHost));

  printResult("temperature", result);
  if (check) {
    double worst = checkSample(start, kappa, result, n);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dOut));
  CUDA_CHECK(cudaFree(dKappa));
  return 0;
}
