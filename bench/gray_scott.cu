// Reaction and diffusion of two substances (Gray-Scott) on a small torus.
// Naive: a launch and a wait for each of many small steps, which are over
// before the next one is launched; neighbours in double subscripts, a block of
// sixteen by sixteen cells.
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

#define STEPS 1000

__global__ void react(const float *u, const float *v, float *uNext,
                      float *vNext, int n, float feed, float kill) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n)
    return;
  int left = x == 0 ? n - 1 : x - 1;
  int right = x == n - 1 ? 0 : x + 1;
  int up = y == 0 ? n - 1 : y - 1;
  int down = y == n - 1 ? 0 : y + 1;
  int i = y * n + x;
  float a = u[i], b = v[i];
  float spreadA = u[y * n + left] + u[y * n + right] + u[up * n + x] +
                  u[down * n + x] - 4.0f * a;
  float spreadB = v[y * n + left] + v[y * n + right] + v[up * n + x] +
                  v[down * n + x] - 4.0f * b;
  uNext[i] = a + 0.16f * spreadA - a * b * b + feed * (1.0f - a);
  vNext[i] = b + 0.08f * spreadB + a * b * b - (feed + kill) * b;
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

// The same steps on the CPU.
static void reactOnHost(std::vector<float> &u, std::vector<float> &v, int n,
                        float feed, float kill) {
  std::vector<float> uNext(u.size()), vNext(v.size());
  for (int step = 0; step < STEPS; step++) {
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        int left = (x + n - 1) % n, right = (x + 1) % n;
        int up = (y + n - 1) % n, down = (y + 1) % n, i = y * n + x;
        float a = u[i], b = v[i];
        float spreadA = u[y * n + left] + u[y * n + right] + u[up * n + x] +
                        u[down * n + x] - 4.0f * a;
        float spreadB = v[y * n + left] + v[y * n + right] + v[up * n + x] +
                        v[down * n + x] - 4.0f * b;
        uNext[i] = a + 0.16f * spreadA - a * b * b + feed * (1.0f - a);
        vNext[i] = b + 0.08f * spreadB + a * b * b - (feed + kill) * b;
      }
    u.swap(uNext);
    v.swap(vNext);
  }
}

int main(int argc, char **argv) {
  int n = 128;
  bool check = false;
  parseArgs(argc, argv, 4096, &n, &check);

  const float feed = 0.035f, kill = 0.06f;
  size_t count = (size_t)n * n, bytes = count * sizeof(float);
  std::vector<float> u(count), v(count);
  Lcg random;
  for (size_t i = 0; i < count; i++) {
    bool inside = i / n > (size_t)n / 3 && i / n < (size_t)2 * n / 3 &&
                  i % n > (size_t)n / 3 && i % n < (size_t)2 * n / 3;
    u[i] = (inside ? 0.5f : 1.0f) - 0.02f * random.uniform();
    v[i] = (inside ? 0.25f : 0.0f) + 0.02f * random.uniform();
  }

  float *dU, *dV, *dUNext, *dVNext;
  CUDA_CHECK(cudaMalloc(&dU, bytes));
  CUDA_CHECK(cudaMalloc(&dV, bytes));
  CUDA_CHECK(cudaMalloc(&dUNext, bytes));
  CUDA_CHECK(cudaMalloc(&dVNext, bytes));
  CUDA_CHECK(cudaMemcpy(dU, u.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dV, v.data(), bytes, cudaMemcpyHostToDevice));

  dim3 block(16, 16);
  dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
  for (int step = 0; step < STEPS; step++) {
    react<<<grid, block>>>(dU, dV, dUNext, dVNext, n, feed, kill);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    std::swap(dU, dUNext);
    std::swap(dV, dVNext);
  }

  std::vector<float> uEnd(count), vEnd(count);
  CUDA_CHECK(cudaMemcpy(uEnd.data(), dU, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(vEnd.data(), dV, bytes, cudaMemcpyDeviceToHost));
  printResult("u", uEnd);
  printResult("v", vEnd);
  if (check) {
    reactOnHost(u, v, n, feed, kill);
    double worst = 0;
    for (size_t i = 0; i < count; i++)
      worst = std::max({worst, relativeError(1.0 + uEnd[i], 1.0 + u[i]),
                        relativeError(1.0 + vEnd[i], 1.0 + v[i])});
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-3)
      return 3;
  }
  CUDA_CHECK(cudaFree(dU));
  CUDA_CHECK(cudaFree(dV));
  CUDA_CHECK(cudaFree(dUNext));
  CUDA_CHECK(cudaFree(dVNext));
  return 0;
}
