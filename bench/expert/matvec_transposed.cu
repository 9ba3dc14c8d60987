// Transposed matrix-vector product as an expert writes it: a block has a strip
// of 128 columns and a share of the rows; its warps take rows in turn by
// float4, many in flight. The last block of a strip that ends adds the shares,
// in order: one launch, no atomics on the result, the same sum in every run.
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

constexpr int WARPS = 8, STRIP = 128, AT_ONCE = 8, MOST_SHARES = 32;

template <bool VECTOR>
__device__ float4 load4(const float *__restrict__ A, int i, int j, int n) {
  const float *p = A + (size_t)i * n + j;
  if (VECTOR)
    return __ldcs(reinterpret_cast<const float4 *>(p));
  return make_float4(p[0], j + 1 < n ? p[1] : 0.0f, j + 2 < n ? p[2] : 0.0f,
                     j + 3 < n ? p[3] : 0.0f);
}

__device__ void addTo(float4 &sum, float4 a, float x) {
  sum.x += a.x * x, sum.y += a.y * x, sum.z += a.z * x, sum.w += a.w * x;
}

// SHARES holds a row of 4 * ceil(n / 4) sums for each share of the rows.
template <bool VECTOR>
__global__ void __launch_bounds__(32 * WARPS)
    matvecTransposed(const float *__restrict__ A, const float *__restrict__ x,
                     float *__restrict__ y, float *shares, int sharePitch,
                     unsigned int *ended, int rowsPerShare, int n) {
  __shared__ float4 sums[WARPS][32];
  __shared__ bool last;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int j = blockIdx.x * STRIP + 4 * lane;
  int end = min(n, (int)(blockIdx.y + 1) * rowsPerShare);
  int i = blockIdx.y * rowsPerShare + warp;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (j < n) {
    for (; i + (AT_ONCE - 1) * WARPS < end; i += AT_ONCE * WARPS) {
      float4 a[AT_ONCE];
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        a[k] = load4<VECTOR>(A, i + k * WARPS, j, n);
#pragma unroll
      for (int k = 0; k < AT_ONCE; k++)
        addTo(sum, a[k], __ldg(x + i + k * WARPS));
    }
    for (; i < end; i += WARPS)
      addTo(sum, load4<VECTOR>(A, i, j, n), __ldg(x + i));
  }
  sums[warp][lane] = sum;
  __syncthreads();
  if (warp == 0 && j < n) {
    for (int w = 1; w < WARPS; w++)
      addTo(sum, sums[w][lane], 1.0f);
    __stcg(reinterpret_cast<float4 *>(shares + (size_t)blockIdx.y * sharePitch +
                                      j),
           sum);
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) // counts on from 0 after the last one
    last = atomicInc(&ended[blockIdx.x], gridDim.y - 1) == gridDim.y - 1;
  __syncthreads();
  if (!last)
    return;
  __threadfence();
  int column = blockIdx.x * STRIP + threadIdx.x;
  if (threadIdx.x < STRIP && column < n) {
    float total = 0.0f;
#pragma unroll 8
    for (int s = 0; s < gridDim.y; s++)
      total += __ldcg(shares + (size_t)s * sharePitch + column);
    y[column] = total;
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

static double checkSample(const std::vector<float> &A,
                          const std::vector<float> &x,
                          const std::vector<float> &y, int n) {
  double worst = 0;
  for (int j = 0; j < n; j += std::max(1, n / 128)) {
    double want = 0;
    for (int i = 0; i < n; i++)
      want += (double)A[(size_t)i * n + j] * x[i];
    worst = std::max(worst, relativeError(y[j], want));
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

  int strips = (n + STRIP - 1) / STRIP;
  int rowsPerShare = (n + MOST_SHARES - 1) / MOST_SHARES;
  rowsPerShare = std::max(rowsPerShare, std::min(n, WARPS * AT_ONCE));
  int shares = (n + rowsPerShare - 1) / rowsPerShare, pitch = (n + 3) / 4 * 4;
  float *dA, *dx, *dy, *dShares;
  unsigned int *dEnded;
  CUDA_CHECK(cudaMalloc((void **)&dA, A.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void **)&dx, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc((void **)&dy, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dA, A.data(), A.size() * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(
      cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  CUDA_CHECK(cudaMalloc(&dShares, (size_t)shares * pitch * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dEnded, strips * sizeof(unsigned int)));
  CUDA_CHECK(cudaMemset(dEnded, 0, strips * sizeof(unsigned int)));
  auto kernel = n % 4 == 0 ? matvecTransposed<true> : matvecTransposed<false>;
  dim3 grid(strips, shares);
  for (int run = 0; run < 10; run++) {
    kernel<<<grid, 32 * WARPS>>>(dA, dx, dy, dShares, pitch, dEnded,
                                 rowsPerShare, n);
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
  CUDA_CHECK(cudaFree(dShares));
  CUDA_CHECK(cudaFree(dEnded));
  return 0;
}
