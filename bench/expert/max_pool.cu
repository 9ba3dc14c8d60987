// Max-pooling 3 x 3 with stride 2 as an expert writes it: the place comes from
// the grid; a thread computes two neighbouring results from a float4 and one
// element before it in each of three rows; maximum and place in registers.
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

#define CHANNELS 8
#define WINDOW 3
#define STRIDE 2
constexpr int THREADS_X = 64, THREADS_Y = 4;

__device__ void take(float value, int place, float &top, int &where) {
  if (value > top) {
    top = value;
    where = place;
  }
}

// For sizes that are multiples of four: rows are aligned.
__global__ void __launch_bounds__(THREADS_X *THREADS_Y)
    maxPool2(const float *__restrict__ in, float *__restrict__ out,
             int *__restrict__ places, int size, int half) {
  int pair = blockIdx.x * THREADS_X + threadIdx.x;
  int oy = blockIdx.y * THREADS_Y + threadIdx.y, plane = blockIdx.z;
  int x = 4 * pair;
  if (x >= size || oy >= half)
    return;
  const float *from = in + (size_t)plane * size * size;
  float2 top = make_float2(-1e30f, -1e30f);
  int2 where = make_int2(-1, -1);
#pragma unroll
  for (int dy = 0; dy < WINDOW; dy++) {
    int y = oy * STRIDE + dy - 1;
    if (y < 0 || y >= size)
      continue;
    int at = y * size + x;
    float4 v = *reinterpret_cast<const float4 *>(from + at);
    if (x > 0)
      take(from[at - 1], at - 1, top.x, where.x);
    take(v.x, at, top.x, where.x);
    take(v.y, at + 1, top.x, where.x);
    take(v.y, at + 1, top.y, where.y);
    take(v.z, at + 2, top.y, where.y);
    take(v.w, at + 3, top.y, where.y);
  }
  size_t to = ((size_t)plane * half + oy) * half + 2 * pair;
  __stcs(reinterpret_cast<float2 *>(out + to), top);
  __stcs(reinterpret_cast<int2 *>(places + to), where);
}

// For any size.
__global__ void maxPool1(const float *__restrict__ in, float *__restrict__ out,
                         int *__restrict__ places, int size, int half) {
  int ox = blockIdx.x * blockDim.x + threadIdx.x;
  int oy = blockIdx.y * blockDim.y + threadIdx.y, plane = blockIdx.z;
  if (ox >= half || oy >= half)
    return;
  const float *from = in + (size_t)plane * size * size;
  float top = -1e30f;
  int where = -1;
  for (int dy = 0; dy < WINDOW; dy++)
    for (int dx = 0; dx < WINDOW; dx++) {
      int y = oy * STRIDE + dy - 1, x = ox * STRIDE + dx - 1;
      if (y >= 0 && y < size && x >= 0 && x < size)
        take(from[y * size + x], y * size + x, top, where);
    }
  size_t to = ((size_t)plane * half + oy) * half + ox;
  out[to] = top;
  places[to] = where;
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

int main(int argc, char **argv) {
  int size = 1024;
  bool check = false;
  parseArgs(argc, argv, 4096, &size, &check);

  int half = (size + STRIDE - 1) / STRIDE, count = CHANNELS * half * half;
  std::vector<float> in((size_t)CHANNELS * size * size), out(count);
  std::vector<int> places(count);
  Lcg random;
  for (float &v : in)
    v = random.uniform();

  float *dIn, *dOut;
  int *dPlaces;
  CUDA_CHECK(cudaMalloc(&dIn, in.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dOut, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dPlaces, count * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(dIn, in.data(), in.size() * sizeof(float),
                        cudaMemcpyHostToDevice));

  dim3 block(THREADS_X, THREADS_Y);
  int rows = (half + THREADS_Y - 1) / THREADS_Y;
  dim3 pairs((half / 2 + THREADS_X - 1) / THREADS_X, rows, CHANNELS);
  dim3 ones((half + THREADS_X - 1) / THREADS_X, rows, CHANNELS);
  for (int run = 0; run < 10; run++)
    if (size % 4 == 0)
      maxPool2<<<pairs, block>>>(dIn, dOut, dPlaces, size, half);
    else
      maxPool1<<<ones, block>>>(dIn, dOut, dPlaces, size, half);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), dOut, count * sizeof(float),
                        cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(places.data(), dPlaces, count * sizeof(int),
                        cudaMemcpyDeviceToHost));

  printResult("pooled", out);
  printResult("places", std::vector<float>(places.begin(), places.end()));
  if (check) {
    // Nothing is computed: values and places must be equal.
    double worst = 0;
    for (int i = 0; i < count; i++) {
      const float *plane = &in[(size_t)(i / (half * half)) * size * size];
      int oy = i / half % half, ox = i % half, best = -1;
      for (int y = std::max(0, 2 * oy - 1); y <= std::min(size - 1, 2 * oy + 1);
           y++)
        for (int x = std::max(0, 2 * ox - 1);
             x <= std::min(size - 1, 2 * ox + 1); x++)
          if (best < 0 || plane[y * size + x] > plane[best])
            best = y * size + x;
      if (places[i] != best || out[i] != plane[best])
        worst = 1;
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 0)
      return 3;
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dOut));
  CUDA_CHECK(cudaFree(dPlaces));
  return 0;
}
