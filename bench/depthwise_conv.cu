// Depthwise 3 x 3 convolution, channels last, one filter for each channel.
// Naive: a thread per pixel loops over the channels, so neighbouring threads
// are CHANNELS apart; the sum lives in global memory; bounds tests inside.
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

#define CHANNELS 32

__global__ void depthwise(float *in, float *filter, float *out, int height,
                          int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  for (int c = 0; c < CHANNELS; c++) {
    out[(y * width + x) * CHANNELS + c] = 0;
    for (int dy = -1; dy <= 1; dy++) {
      for (int dx = -1; dx <= 1; dx++) {
        int yy = y + dy, xx = x + dx;
        if (yy < 0 || yy >= height || xx < 0 || xx >= width)
          continue;
        out[(y * width + x) * CHANNELS + c] +=
            in[(yy * width + xx) * CHANNELS + c] *
            filter[((dy + 1) * 3 + dx + 1) * CHANNELS + c];
      }
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

int main(int argc, char **argv) {
  int width = 512;
  bool check = false;
  parseArgs(argc, argv, 2048, &width, &check);

  int height = width / 2 + 1;
  size_t count = (size_t)width * height * CHANNELS;
  std::vector<float> in(count), out(count), filter(9 * CHANNELS);
  Lcg random;
  for (float &v : in)
    v = random.uniform();
  for (float &v : filter)
    v = random.uniform();

  float *dIn, *dFilter, *dOut;
  CUDA_CHECK(cudaMalloc(&dIn, count * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dFilter, filter.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dOut, count * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dIn, in.data(), count * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dFilter, filter.data(), filter.size() * sizeof(float),
                        cudaMemcpyHostToDevice));

  dim3 block(32, 4);
  dim3 grid((width + 31) / 32, (height + 3) / 4);
  for (int run = 0; run < 5; run++)
    depthwise<<<grid, block>>>(dIn, dFilter, dOut, height, width);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(out.data(), dOut, count * sizeof(float),
                        cudaMemcpyDeviceToHost));

  printResult("out", out);
  if (check) {
    double worst = 0;
    for (size_t i = 0; i < count; i += 1 + count / 5000) {
      int c = i % CHANNELS, x = i / CHANNELS % width;
      int y = i / CHANNELS / width;
      double want = 0;
      for (int k = 0; k < 9; k++) {
        int yy = y + k / 3 - 1, xx = x + k % 3 - 1;
        if (yy >= 0 && yy < height && xx >= 0 && xx < width)
          want += (double)in[((size_t)yy * width + xx) * CHANNELS + c] *
                  filter[k * CHANNELS + c];
      }
      worst = std::max(worst, relativeError(out[i], want));
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dFilter));
  CUDA_CHECK(cudaFree(dOut));
  return 0;
}
