// Layer normalisation of each row as an expert writes it: a warp per row, the
// whole row in registers, so that it is read once and written once; float4
// accesses; mean and variance by shuffles; one reciprocal square root a row.
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

#define EPSILON 1e-5f
constexpr int MOST_COLUMNS = 768; // main makes no longer rows
constexpr int WARPS = 4;          // rows a block

__device__ float warpSum(float v) {
  for (int s = 16; s > 0; s /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, s);
  return v;
}

// For rows of a multiple of four elements.
__global__ void __launch_bounds__(32 * WARPS)
    layerNorm4(const float *__restrict__ x, const float *__restrict__ gamma,
               const float *__restrict__ beta, float *__restrict__ y, int rows,
               int cols) {
  constexpr int PARTS = MOST_COLUMNS / 128;
  int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const float4 *from = reinterpret_cast<const float4 *>(x + (size_t)row * cols);
  float4 *to = reinterpret_cast<float4 *>(y + (size_t)row * cols);
  float4 v[PARTS];
  float sum = 0.0f;
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    int at = p * 32 + lane;
    v[p] =
        4 * at < cols ? __ldcs(from + at) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    sum += (v[p].x + v[p].y) + (v[p].z + v[p].w);
  }
  float mean = warpSum(sum) / cols, squares = 0.0f;
#pragma unroll
  for (int p = 0; p < PARTS; p++)
    if (4 * (p * 32 + lane) < cols) {
      v[p].x -= mean, v[p].y -= mean, v[p].z -= mean, v[p].w -= mean;
      squares += v[p].x * v[p].x + v[p].y * v[p].y;
      squares += v[p].z * v[p].z + v[p].w * v[p].w;
    }
  float scale = rsqrtf(warpSum(squares) / cols + EPSILON);
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    int at = p * 32 + lane;
    if (4 * at >= cols)
      continue;
    float4 g = __ldg(reinterpret_cast<const float4 *>(gamma) + at);
    float4 b = __ldg(reinterpret_cast<const float4 *>(beta) + at);
    __stcs(to + at,
           make_float4(v[p].x * scale * g.x + b.x, v[p].y * scale * g.y + b.y,
                       v[p].z * scale * g.z + b.z, v[p].w * scale * g.w + b.w));
  }
}

// For any length.
__global__ void __launch_bounds__(32 * WARPS)
    layerNorm1(const float *__restrict__ x, const float *__restrict__ gamma,
               const float *__restrict__ beta, float *__restrict__ y, int rows,
               int cols) {
  constexpr int PARTS = MOST_COLUMNS / 32;
  int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const float *from = x + (size_t)row * cols;
  float v[PARTS], sum = 0.0f, squares = 0.0f;
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    v[p] = p * 32 + lane < cols ? from[p * 32 + lane] : 0.0f;
    sum += v[p];
  }
  float mean = warpSum(sum) / cols;
#pragma unroll
  for (int p = 0; p < PARTS; p++)
    if (p * 32 + lane < cols) {
      v[p] -= mean;
      squares += v[p] * v[p];
    }
  float scale = rsqrtf(warpSum(squares) / cols + EPSILON);
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    int c = p * 32 + lane;
    if (c < cols)
      y[(size_t)row * cols + c] = v[p] * scale * gamma[c] + beta[c];
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

// Normalised values are of order one and may be close to zero.
static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1.0);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

static double checkSample(const std::vector<float> &x,
                          const std::vector<float> &gamma,
                          const std::vector<float> &beta,
                          const std::vector<float> &y, int rows, int cols) {
  double worst = 0;
  for (int r = 0; r < rows; r += std::max(1, rows / 64)) {
    const float *in = &x[(size_t)r * cols];
    double mean = 0, var = 0;
    for (int c = 0; c < cols; c++)
      mean += in[c];
    mean /= cols;
    for (int c = 0; c < cols; c++)
      var += (in[c] - mean) * (in[c] - mean);
    var /= cols;
    for (int c = 0; c < cols; c++) {
      double want = (in[c] - mean) / sqrt(var + EPSILON) * gamma[c] + beta[c];
      worst = std::max(worst, relativeError(y[(size_t)r * cols + c], want));
    }
  }
  return worst;
}

int main(int argc, char **argv) {
  int rows = 8192;
  bool check = false;
  parseArgs(argc, argv, 1 << 20, &rows, &check);
  int cols = std::min(rows, 768);

  size_t count = (size_t)rows * cols, bytes = count * sizeof(float);
  std::vector<float> x(count), gamma(cols), beta(cols), y(count);
  Lcg random;
  for (float &v : x)
    v = 3.0f * random.uniform();
  for (int c = 0; c < cols; c++) {
    gamma[c] = 0.5f + random.uniform();
    beta[c] = 0.5f + random.uniform();
  }

  float *dX, *dGamma, *dBeta, *dY;
  CUDA_CHECK(cudaMalloc(&dX, bytes));
  CUDA_CHECK(cudaMalloc(&dGamma, cols * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dBeta, cols * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dY, bytes));
  CUDA_CHECK(cudaMemcpy(dX, x.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dGamma, gamma.data(), cols * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dBeta, beta.data(), cols * sizeof(float),
                        cudaMemcpyHostToDevice));

  int blocks = (rows + WARPS - 1) / WARPS;
  for (int run = 0; run < 5; run++) {
    if (cols % 4 == 0)
      layerNorm4<<<blocks, 32 * WARPS>>>(dX, dGamma, dBeta, dY, rows, cols);
    else
      layerNorm1<<<blocks, 32 * WARPS>>>(dX, dGamma, dBeta, dY, rows, cols);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(y.data(), dY, bytes, cudaMemcpyDeviceToHost));

  printResult("y", y);
  if (check) {
    double worst = checkSample(x, gamma, beta, y, rows, cols);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dX));
  CUDA_CHECK(cudaFree(dGamma));
  CUDA_CHECK(cudaFree(dBeta));
  CUDA_CHECK(cudaFree(dY));
  return 0;
}
