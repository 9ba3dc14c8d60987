// Scaled matrix transpose as an expert writes it: tiles of 64 x 64 through
// shared memory, a column of padding against bank conflicts, float4 on both
// sides.
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

constexpr int EDGE = 64, LANES = 16; // threads along a row of the tile

// For sizes that are multiples of four: rows are aligned.
__global__ void __launch_bounds__(LANES *LANES)
    transpose4(const float *__restrict__ in, float *__restrict__ out, int width,
               int height, float scale) {
  __shared__ float tile[EDGE][EDGE + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * EDGE + 4 * tx, y0 = blockIdx.y * EDGE;
  float4 v[EDGE / LANES];
#pragma unroll
  for (int r = 0; r < EDGE / LANES; r++) {
    int y = y0 + ty + r * LANES;
    if (x < width && y < height)
      v[r] =
          __ldcs(reinterpret_cast<const float4 *>(in + (size_t)y * width + x));
  }
#pragma unroll
  for (int r = 0; r < EDGE / LANES; r++) {
    float *to = &tile[ty + r * LANES][4 * tx];
    if (x < width && y0 + ty + r * LANES < height)
      to[0] = v[r].x, to[1] = v[r].y, to[2] = v[r].z, to[3] = v[r].w;
  }
  __syncthreads();
  int y = y0 + 4 * tx;
#pragma unroll
  for (int r = 0; r < EDGE / LANES; r++) {
    int c = ty + r * LANES;
    int row = blockIdx.x * EDGE + c;
    if (row < width && y < height)
      __stcs(reinterpret_cast<float4 *>(out + (size_t)row * height + y),
             make_float4(scale * tile[4 * tx][c], scale * tile[4 * tx + 1][c],
                         scale * tile[4 * tx + 2][c],
                         scale * tile[4 * tx + 3][c]));
  }
}

// For any size: tiles of 32 x 32, four elements a thread.
__global__ void transpose1(const float *__restrict__ in,
                           float *__restrict__ out, int width, int height,
                           float scale) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8)
    if (x < width && y + r < height)
      tile[threadIdx.y + r][threadIdx.x] = in[(size_t)(y + r) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8)
    if (x < height && y + r < width)
      out[(size_t)(y + r) * height + x] =
          scale * tile[threadIdx.x][threadIdx.y + r];
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

static double checkAll(const std::vector<float> &in,
                       const std::vector<float> &out, float scale, int width,
                       int height) {
  double worst = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      worst = std::max(worst, relativeError(out[(size_t)x * height + y],
                                            scale * in[(size_t)y * width + x]));
  return worst;
}

int main(int argc, char **argv) {
  int width = 4096;
  bool check = false;
  parseArgs(argc, argv, 16384, &width, &check);
  int height = std::max(1, width * 3 / 4);

  size_t count = (size_t)width * height, bytes = count * sizeof(float);
  std::vector<float> in(count), out(count);
  Lcg random;
  for (float &v : in)
    v = random.uniform();

  float *dIn, *dOut;
  CUDA_CHECK(cudaMalloc(&dIn, bytes));
  CUDA_CHECK(cudaMalloc(&dOut, bytes));
  CUDA_CHECK(cudaMemcpy(dIn, in.data(), bytes, cudaMemcpyHostToDevice));

  const float scale = 0.5f;
  dim3 tiles((width + EDGE - 1) / EDGE, (height + EDGE - 1) / EDGE);
  dim3 small((width + 31) / 32, (height + 31) / 32);
  for (int run = 0; run < 10; run++) {
    if (width % 4 == 0 && height % 4 == 0)
      transpose4<<<tiles, dim3(LANES, LANES)>>>(dIn, dOut, width, height,
                                                scale);
    else
      transpose1<<<small, dim3(32, 8)>>>(dIn, dOut, width, height, scale);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(out.data(), dOut, bytes, cudaMemcpyDeviceToHost));

  printResult("out", out);
  if (check) {
    double worst = checkAll(in, out, scale, width, height);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 0.0)
      return 3;
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dOut));
  return 0;
}
