// Wave equation in 3-D, second order in time, fixed border. The new field is
// written over the one before the last: the same buffer is passed twice.
// Naive: blocks of 4 x 4 x 4, everything from global memory, a division by the
// cell's size in the kernel, neighbours through a macro.
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

#define STEPS 6
#define EDGE 4
#define AT(field, x, y, z) field[((z) * n + (y)) * n + (x)]
#define SECOND(field, dx, dy, dz)                                              \
  (AT(field, x - (dx), y - (dy), z - (dz)) - 2.0f * AT(field, x, y, z) +       \
   AT(field, x + (dx), y + (dy), z + (dz)))

__global__ void waveStep(const float *now, const float *before, float *after,
                         int n, float dt, float h) {
  int x = blockIdx.x * EDGE + threadIdx.x;
  int y = blockIdx.y * EDGE + threadIdx.y;
  int z = blockIdx.z * EDGE + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
    return;
  float laplacian = SECOND(now, 1, 0, 0) / (h * h);
  laplacian += SECOND(now, 0, 1, 0) / (h * h);
  laplacian += SECOND(now, 0, 0, 1) / (h * h);
  AT(after, x, y, z) =
      2.0f * AT(now, x, y, z) - AT(before, x, y, z) + dt * dt * laplacian;
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

// The field at (cx, cy, cz) after all steps, from the cells that reach it.
static double referenceAt(const std::vector<float> &start, int n, int cx,
                          int cy, int cz, float dt, float h) {
  const int width = 2 * STEPS + 1, area = width * width;
  std::vector<double> now(width * area, 0.0), before;
  auto inside = [&](int k, int c) {
    int at = c - STEPS + k;
    return at >= 1 && at < n - 1 && k >= 1 && k < width - 1;
  };
  auto exists = [&](int k, int c) {
    return c - STEPS + k >= 0 && c - STEPS + k < n;
  };
  for (int k = 0; k < width * area; k++) {
    int x = k % width, y = k / width % width, z = k / area;
    if (exists(x, cx) && exists(y, cy) && exists(z, cz))
      now[k] = start[((size_t)(cz - STEPS + z) * n + cy - STEPS + y) * n + cx -
                     STEPS + x];
  }
  before = now;
  double factor = (double)dt * dt / ((double)h * h);
  for (int step = 0; step < STEPS; step++) {
    for (int k = 0; k < width * area; k++) {
      int x = k % width, y = k / width % width, z = k / area;
      if (!inside(x, cx) || !inside(y, cy) || !inside(z, cz))
        continue;
      double laplacian = now[k - 1] + now[k + 1] + now[k - width] +
                         now[k + width] + now[k - area] + now[k + area] -
                         6.0 * now[k];
      before[k] = 2.0 * now[k] - before[k] + factor * laplacian;
    }
    std::swap(now, before);
  }
  return now[STEPS * (area + width + 1)];
}

int main(int argc, char **argv) {
  int n = 320;
  bool check = false;
  parseArgs(argc, argv, 1024, &n, &check);

  const float dt = 0.1f, h = 0.5f;
  size_t count = (size_t)n * n * n, bytes = count * sizeof(float);
  std::vector<float> start(count), result(count);
  Lcg random;
  for (float &v : start)
    v = 1.0f + 0.25f * random.uniform();

  float *dNow, *dBefore;
  CUDA_CHECK(cudaMalloc(&dNow, bytes));
  CUDA_CHECK(cudaMalloc(&dBefore, bytes));
  CUDA_CHECK(cudaMemcpy(dNow, start.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dBefore, start.data(), bytes, cudaMemcpyHostToDevice));

  int blocks = (n + EDGE - 1) / EDGE;
  dim3 grid(blocks, blocks, blocks), block(EDGE, EDGE, EDGE);
  for (int step = 0; step < STEPS; step++) {
    waveStep<<<grid, block>>>(dNow, dBefore, dBefore, n, dt, h);
    CUDA_CHECK(cudaGetLastError());
    std::swap(dNow, dBefore);
  }
  CUDA_CHECK(cudaMemcpy(result.data(), dNow, bytes, cudaMemcpyDeviceToHost));

  printResult("field", result);
  if (check) {
    double worst = 0;
    for (size_t i = 0; i < count; i += 1 + count / 300) {
      int x = i % n, y = i / n % n, z = i / ((size_t)n * n);
      worst =
          std::max(worst, relativeError(result[i],
                                        referenceAt(start, n, x, y, z, dt, h)));
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dNow));
  CUDA_CHECK(cudaFree(dBefore));
  return 0;
}
