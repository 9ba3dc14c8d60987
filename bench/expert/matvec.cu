// Matrix-vector product as an expert writes it: a block per row, so that reads
// of A are coalesced and all of the GPU is busy; float4, all loads of a thread
// in flight at once; the sums by shuffles.
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

constexpr int THREADS = 128, AT_ONCE = 8; // float4 in flight a thread

__device__ float dot(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + (a.z * b.z + a.w * b.w);
}

__global__ void __launch_bounds__(THREADS)
    matvec(const float *__restrict__ A, const float *__restrict__ x,
           float *__restrict__ y, int n) {
  __shared__ float warps[THREADS / 32];
  const float *row = A + (size_t)blockIdx.x * n;
  float sum = 0.0f;
  int done = 0;
  if (n % 4 == 0) { // rows are aligned
    const float4 *a = reinterpret_cast<const float4 *>(row);
    const float4 *b = reinterpret_cast<const float4 *>(x);
    int fours = n / 4, at = threadIdx.x;
    for (; at + (AT_ONCE - 1) * THREADS < fours; at += AT_ONCE * THREADS) {
      float4 v[AT_ONCE];
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        v[k] = __ldcs(a + at + k * THREADS);
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        sum += dot(v[k], __ldg(b + at + k * THREADS));
    }
    for (; at < fours; at += THREADS)
      sum += dot(a[at], b[at]);
    done = n;
  }
  for (int j = done + threadIdx.x; j < n; j += THREADS)
    sum += row[j] * x[j];

  for (int s = 16; s > 0; s /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, s);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    y[blockIdx.x] = (warps[0] + warps[1]) + (warps[2] + warps[3]);
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

static double checkSample(const std::vector<float> &A,
                          const std::vector<float> &x,
                          const std::vector<float> &y, int n) {
  double worst = 0;
  for (int i = 0; i < n; i += std::max(1, n / 128)) {
    double want = 0;
    for (int j = 0; j < n; j++)
      want += (double)A[(size_t)i * n + j] * x[j];
    worst = std::max(worst, relativeError(y[i], want));
  }
  return worst;
}

int main(int argc, char **argv) {
  int n = 4096;
  bool check = false;
  parseArgs(argc, argv, 16384, &n, &check);

  std::vector<float> A((size_t)n * n), x(n), y(n);
  Lcg random;
  for (float &v : A)
    v = random.uniform();
  for (float &v : x)
    v = random.uniform();

  float *dA, *dx, *dy;
  CUDA_CHECK(cudaMalloc((void **)&dA, A.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void **)&dx, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void **)&dy, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(
      cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  for (int run = 0; run < 10; run++) {
    matvec<<<n, THREADS>>>(dA, dx, dy, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  CUDA_CHECK(
      cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost));

  printResult("y", y);
  if (check) {
    double worst = checkSample(A, x, y, n);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dA));
  CUDA_CHECK(cudaFree(dx));
  CUDA_CHECK(cudaFree(dy));
  return 0;
}
