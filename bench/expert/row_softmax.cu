// Softmax over each row of a matrix as an expert writes it: a warp per row, the
// whole row in registers, so that it is read once and written once; float4
// accesses; maximum and sum by shuffles; one division a row.
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

constexpr int MOST_COLUMNS = 1024; // main makes no longer rows
constexpr int WARPS = 4;           // rows a block

__device__ float warpMax(float v) {
  for (int s = 16; s > 0; s /= 2)
    v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, s));
  return v;
}

__device__ float warpSum(float v) {
  for (int s = 16; s > 0; s /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, s);
  return v;
}

// For rows of a multiple of four elements.
__global__ void __launch_bounds__(32 * WARPS)
    rowSoftmax4(const float *__restrict__ in, float *__restrict__ out, int rows,
                int cols) {
  constexpr int PARTS = MOST_COLUMNS / 128;
  int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const float4 *from =
      reinterpret_cast<const float4 *>(in + (size_t)row * cols);
  float4 *to = reinterpret_cast<float4 *>(out + (size_t)row * cols);
  float4 x[PARTS];
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    int at = p * 32 + lane;
    x[p] = 4 * at < cols
               ? __ldcs(from + at)
               : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
  }
  float top = -INFINITY;
#pragma unroll
  for (int p = 0; p < PARTS; p++)
    top = fmaxf(top, fmaxf(fmaxf(x[p].x, x[p].y), fmaxf(x[p].z, x[p].w)));
  top = warpMax(top);
  float sum = 0.0f;
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    x[p].x = __expf(x[p].x - top);
    x[p].y = __expf(x[p].y - top);
    x[p].z = __expf(x[p].z - top);
    x[p].w = __expf(x[p].w - top);
    sum += (x[p].x + x[p].y) + (x[p].z + x[p].w);
  }
  float scale = 1.0f / warpSum(sum);
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    int at = p * 32 + lane;
    if (4 * at < cols)
      __stcs(to + at, make_float4(x[p].x * scale, x[p].y * scale,
                                  x[p].z * scale, x[p].w * scale));
  }
}

// For any length.
__global__ void __launch_bounds__(32 * WARPS)
    rowSoftmax1(const float *__restrict__ in, float *__restrict__ out, int rows,
                int cols) {
  constexpr int PARTS = MOST_COLUMNS / 32;
  int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  const float *from = in + (size_t)row * cols;
  float *to = out + (size_t)row * cols;
  float x[PARTS], top = -INFINITY, sum = 0.0f;
#pragma unroll
  for (int p = 0; p < PARTS; p++) {
    x[p] = p * 32 + lane < cols ? from[p * 32 + lane] : -INFINITY;
    top = fmaxf(top, x[p]);
  }
  top = warpMax(top);
#pragma unroll
  for (int p = 0; p < PARTS; p++)
    sum += x[p] = __expf(x[p] - top);
  float scale = 1.0f / warpSum(sum);
#pragma unroll
  for (int p = 0; p < PARTS; p++)
    if (p * 32 + lane < cols)
      to[p * 32 + lane] = x[p] * scale;
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

// Softmax values are about 1 / cols: compare relative to the value itself.
static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1e-12);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

static double checkSample(const std::vector<float> &in,
                          const std::vector<float> &out, int rows, int cols) {
  double worst = 0;
  for (int r = 0; r < rows; r += std::max(1, rows / 64)) {
    const float *x = &in[(size_t)r * cols];
    double sum = 0;
    double top = *std::max_element(x, x + cols);
    for (int c = 0; c < cols; c++)
      sum += exp(x[c] - top);
    for (int c = 0; c < cols; c++)
      worst = std::max(worst, relativeError(out[(size_t)r * cols + c],
                                            exp(x[c] - top) / sum));
  }
  return worst;
}

int main(int argc, char **argv) {
  int rows = 8192;
  bool check = false;
  parseArgs(argc, argv, 1 << 20, &rows, &check);
  int cols = std::min(rows, 1024);

  size_t count = (size_t)rows * cols, bytes = count * sizeof(float);
  std::vector<float> in(count), out(count);
  Lcg random;
  for (float &v : in)
    v = 8.0f * random.uniform() - 4.0f;

  float *dIn, *dOut;
  CUDA_CHECK(cudaMalloc(&dIn, bytes));
  CUDA_CHECK(cudaMalloc(&dOut, bytes));
  CUDA_CHECK(cudaMemcpy(dIn, in.data(), bytes, cudaMemcpyHostToDevice));

  int blocks = (rows + WARPS - 1) / WARPS;
  for (int run = 0; run < 5; run++) {
    if (cols % 4 == 0)
      rowSoftmax4<<<blocks, 32 * WARPS>>>(dIn, dOut, rows, cols);
    else
      rowSoftmax1<<<blocks, 32 * WARPS>>>(dIn, dOut, rows, cols);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(out.data(), dOut, bytes, cudaMemcpyDeviceToHost));

  printResult("softmax", out);
  if (check) {
    double worst = checkSample(in, out, rows, cols);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dOut));
  return 0;
}
