// Wave equation in 3-D as an expert writes it: a thread walks along z over four
// cells of a row, three planes in registers, by float4; the factor of the
// Laplacian is computed once. The new field stands over the one before the
// last, each cell read and written by one thread.
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
constexpr int THREADS = 256, PLANES = 16; // planes that a thread walks

// For sizes that are multiples of four: rows are aligned.
__global__ void __launch_bounds__(THREADS)
    waveStep4(const float *__restrict__ now, float *last, int n, float factor) {
  int at = blockIdx.x * THREADS + threadIdx.x; // four cells of a plane
  int x = at % (n / 4) * 4, y = at / (n / 4);
  int z0 = 1 + blockIdx.y * PLANES, end = min(z0 + PLANES, n - 1);
  if (y < 1 || y >= n - 1)
    return;
  size_t area = (size_t)n * n, cell = z0 * area + (size_t)y * n + x;
  auto load = [&](size_t from) {
    return *reinterpret_cast<const float4 *>(now + from);
  };
  float4 below = load(cell - area), here = load(cell);
#pragma unroll 4
  for (int z = z0; z < end; z++, cell += area) {
    float4 above = load(cell + area), front = load(cell - n),
           back = load(cell + n);
    float left = x > 0 ? now[cell - 1] : 0.0f;
    float right = x + 4 < n ? now[cell + 4] : 0.0f;
    float4 old = *reinterpret_cast<float4 *>(last + cell), v;
    auto next = [&](float c, float l, float r, float f, float b, float d,
                    float u, float o) {
      return 2.0f * c - o + factor * ((l + r) + (f + b) + (d + u) - 6.0f * c);
    };
    v.x = next(here.x, left, here.y, front.x, back.x, below.x, above.x, old.x);
    v.y =
        next(here.y, here.x, here.z, front.y, back.y, below.y, above.y, old.y);
    v.z =
        next(here.z, here.y, here.w, front.z, back.z, below.z, above.z, old.z);
    v.w = next(here.w, here.z, right, front.w, back.w, below.w, above.w, old.w);
    // The border keeps its values.
    if (x == 0)
      v.x = old.x;
    if (x + 4 == n)
      v.w = old.w;
    *reinterpret_cast<float4 *>(last + cell) = v;
    below = here, here = above;
  }
}

// For any size.
__global__ void waveStep1(const float *__restrict__ now, float *last, int n,
                          float factor) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
    return;
  size_t area = (size_t)n * n, cell = z * area + (size_t)y * n + x;
  float c = now[cell];
  float sum = (now[cell - 1] + now[cell + 1]) +
              (now[cell - n] + now[cell + n]) +
              (now[cell - area] + now[cell + area]);
  last[cell] = 2.0f * c - last[cell] + factor * (sum - 6.0f * c);
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

  const float factor = dt * dt / (h * h);
  dim3 walks((n / 4 * n + THREADS - 1) / THREADS, (n + PLANES - 1) / PLANES);
  dim3 block(32, 8), cells((n + 31) / 32, (n + 7) / 8, n);
  for (int step = 0; step < STEPS; step++) {
    if (n % 4 == 0)
      waveStep4<<<walks, THREADS>>>(dNow, dBefore, n, factor);
    else
      waveStep1<<<cells, block>>>(dNow, dBefore, n, factor);
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
