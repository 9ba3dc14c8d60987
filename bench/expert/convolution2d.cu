// Two-dimensional convolution as an expert writes it: the filter in constant
// memory, where a multiply-add reads it for nothing; a tile of the image with
// its margin in shared memory; each thread computes 4 x 4 pixels, so that a row
// of the tile is loaded once for up to four rows of results.
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

#define RADIUS 3
#define FILTER_WIDTH (2 * RADIUS + 1)

constexpr int THREADS_X = 32, THREADS_Y = 8,
              EDGE = 4; // pixels a thread: EDGE^2
constexpr int TILE_X = THREADS_X * EDGE, TILE_Y = THREADS_Y * EDGE;
constexpr int MARGIN = 4; // in columns: RADIUS, rounded up to a float4
constexpr int PITCH = TILE_X + 2 * MARGIN, LINES = TILE_Y + 2 * RADIUS;

__constant__ float weights[FILTER_WIDTH * FILTER_WIDTH];

__device__ float4 load4(const float *__restrict__ image, int x, int y,
                        int width, int height) {
  float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (y < 0 || y >= height)
    return v;
  const float *p = image + (size_t)y * width + x;
  if (x >= 0 && x + 3 < width && width % 4 == 0)
    return *reinterpret_cast<const float4 *>(p);
  if (x >= 0 && x < width)
    v.x = p[0];
  if (x + 1 >= 0 && x + 1 < width)
    v.y = p[1];
  if (x + 2 >= 0 && x + 2 < width)
    v.z = p[2];
  if (x + 3 >= 0 && x + 3 < width)
    v.w = p[3];
  return v;
}

__global__ void __launch_bounds__(THREADS_X *THREADS_Y)
    convolve(const float *__restrict__ image, float *__restrict__ out,
             int width, int height) {
  __shared__ __align__(16) float tile[LINES][PITCH];
  int x0 = blockIdx.x * TILE_X, y0 = blockIdx.y * TILE_Y;
  int tid = threadIdx.y * THREADS_X + threadIdx.x;
  for (int at = tid; at < LINES * (PITCH / 4); at += THREADS_X * THREADS_Y) {
    int line = at / (PITCH / 4), part = at % (PITCH / 4) * 4;
    *reinterpret_cast<float4 *>(&tile[line][part]) =
        load4(image, x0 - MARGIN + part, y0 - RADIUS + line, width, height);
  }
  __syncthreads();

  float sum[EDGE][EDGE] = {};
#pragma unroll
  for (int line = 0; line < EDGE + 2 * RADIUS; line++) {
    // The pixels MARGIN before to MARGIN after the thread's four.
    float v[EDGE + 2 * MARGIN];
    const float4 *from = reinterpret_cast<const float4 *>(
        &tile[threadIdx.y * EDGE + line][threadIdx.x * EDGE]);
#pragma unroll
    for (int p = 0; p < (EDGE + 2 * MARGIN) / 4; p++) {
      float4 four = from[p];
      v[4 * p] = four.x, v[4 * p + 1] = four.y;
      v[4 * p + 2] = four.z, v[4 * p + 3] = four.w;
    }
#pragma unroll
    for (int r = 0; r < EDGE; r++) {
      int fy = line - r; // row of the filter
      if (fy < 0 || fy >= FILTER_WIDTH)
        continue;
#pragma unroll
      for (int fx = 0; fx < FILTER_WIDTH; fx++)
#pragma unroll
        for (int c = 0; c < EDGE; c++)
          sum[r][c] +=
              v[c + fx + MARGIN - RADIUS] * weights[fy * FILTER_WIDTH + fx];
    }
  }

  int x = x0 + threadIdx.x * EDGE;
#pragma unroll
  for (int r = 0; r < EDGE; r++) {
    int y = y0 + threadIdx.y * EDGE + r;
    if (y >= height)
      return;
    float *to = out + (size_t)y * width + x;
    if (width % 4 == 0) {
      if (x < width)
        *reinterpret_cast<float4 *>(to) =
            make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
    } else {
      for (int c = 0; c < EDGE; c++)
        if (x + c < width)
          to[c] = sum[r][c];
    }
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

static double checkSample(const std::vector<float> &image,
                          const std::vector<float> &filter,
                          const std::vector<float> &out, int width,
                          int height) {
  double worst = 0;
  size_t step = std::max<size_t>(1, out.size() / 20000) | 1;
  for (size_t i = 0; i < out.size(); i += step) {
    int x = i % width, y = i / width;
    double want = 0;
    for (int v = std::max(0, y - RADIUS); v <= std::min(height - 1, y + RADIUS);
         v++)
      for (int u = std::max(0, x - RADIUS);
           u <= std::min(width - 1, x + RADIUS); u++)
        want += (double)image[(size_t)v * width + u] *
                filter[(v - y + RADIUS) * FILTER_WIDTH + (u - x + RADIUS)];
    worst = std::max(worst, relativeError(out[i], want));
  }
  return worst;
}

int main(int argc, char **argv) {
  int width = 4096;
  bool check = false;
  parseArgs(argc, argv, 16384, &width, &check);
  int height = std::max(1, width / 2);

  size_t count = (size_t)width * height, bytes = count * sizeof(float);
  std::vector<float> image(count), out(count);
  std::vector<float> filter(FILTER_WIDTH * FILTER_WIDTH);
  Lcg random;
  for (float &v : image)
    v = random.uniform();
  for (float &v : filter)
    v = random.uniform() / filter.size();

  float *dImage, *dOut;
  CUDA_CHECK(cudaMalloc(&dImage, bytes));
  CUDA_CHECK(cudaMalloc(&dOut, bytes));
  CUDA_CHECK(cudaMemcpy(dImage, image.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpyToSymbol(weights, filter.data(),
                                filter.size() * sizeof(float)));

  dim3 threads(THREADS_X, THREADS_Y);
  dim3 blocks((width + TILE_X - 1) / TILE_X, (height + TILE_Y - 1) / TILE_Y);
  for (int run = 0; run < 5; run++) {
    convolve<<<blocks, threads>>>(dImage, dOut, width, height);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(out.data(), dOut, bytes, cudaMemcpyDeviceToHost));

  printResult("out", out);
  if (check) {
    double worst = checkSample(image, filter, out, width, height);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dImage));
  CUDA_CHECK(cudaFree(dOut));
  return 0;
}
