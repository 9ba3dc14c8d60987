// RGB image to grey, then a box blur; 8-bit pixels, integer arithmetic.
// Naive: the pixel's position comes from run-time division and modulo, also
// inside the window loop, and every pixel of the window is loaded anew.
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

#define THREADS_PER_BLOCK 256
#define BLUR_RADIUS 4

typedef unsigned char uchar;

__global__ void rgbToGray(uchar *rgb, uchar *gray, int numPixels) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < numPixels) {
    int r = rgb[3 * idx];
    int g = rgb[3 * idx + 1];
    int b = rgb[3 * idx + 2];
    gray[idx] = (299 * r + 587 * g + 114 * b) / 1000;
  }
}

__global__ void boxBlur(uchar *gray, uchar *out, int width, int height) {
  int idx = blockIdx.x * blockDim.x + threadIdx.x;
  if (idx < width * height) {
    int side = 2 * BLUR_RADIUS + 1;
    int sum = 0;
    int count = 0;
    for (int k = 0; k < side * side; k++) {
      int x = idx % width + k % side - BLUR_RADIUS;
      int y = idx / width + k / side - BLUR_RADIUS;
      if (x >= 0 && x < width && y >= 0 && y < height) {
        sum += gray[y * width + x];
        count++;
      }
    }
    out[idx] = sum / count;
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

static void printResult(const char *name, const std::vector<uchar> &v) {
  double sum = 0, weighted = 0;
  for (size_t i = 0; i < v.size(); i++) {
    sum += v[i];
    weighted += (double)v[i] * (1 + i % 97);
  }
  printf("%s sum %.6e weighted %.6e\n", name, sum, weighted);
  printf("%s samples %.6e %.6e %.6e %.6e\n", name, (double)v[0],
         (double)v[v.size() / 3], (double)v[v.size() / 2],
         (double)v[v.size() - 1]);
}

// Pixels are integers: each sampled one must be equal.
static double checkSample(const std::vector<uchar> &rgb,
                          const std::vector<uchar> &out, int width,
                          int height) {
  double worst = 0;
  size_t step = std::max<size_t>(1, out.size() / 20000) | 1;
  for (size_t i = 0; i < out.size(); i += step) {
    int x = i % width, y = i / width, sum = 0, count = 0;
    for (int v = std::max(0, y - BLUR_RADIUS);
         v <= std::min(height - 1, y + BLUR_RADIUS); v++)
      for (int u = std::max(0, x - BLUR_RADIUS);
           u <= std::min(width - 1, x + BLUR_RADIUS); u++) {
        const uchar *p = &rgb[3 * ((size_t)v * width + u)];
        sum += (299 * p[0] + 587 * p[1] + 114 * p[2]) / 1000;
        count++;
      }
    int want = sum / count;
    worst = std::max(worst, fabs((double)(out[i] - want)) / (want + 1.0));
  }
  return worst;
}

int main(int argc, char **argv) {
  int width = 4096;
  bool check = false;
  parseArgs(argc, argv, 16384, &width, &check);
  int height = std::max(1, width * 9 / 16);

  int numPixels = width * height;
  std::vector<uchar> rgb((size_t)3 * numPixels), out(numPixels);
  Lcg random;
  for (uchar &v : rgb)
    v = random.bits() >> 16;

  uchar *dRgb, *dGray, *dOut;
  CUDA_CHECK(cudaMalloc(&dRgb, rgb.size()));
  CUDA_CHECK(cudaMalloc(&dGray, numPixels));
  CUDA_CHECK(cudaMalloc(&dOut, numPixels));
  CUDA_CHECK(cudaMemcpy(dRgb, rgb.data(), rgb.size(), cudaMemcpyHostToDevice));

  int blocks = (numPixels + THREADS_PER_BLOCK - 1) / THREADS_PER_BLOCK;
  for (int run = 0; run < 5; run++) {
    rgbToGray<<<blocks, THREADS_PER_BLOCK>>>(dRgb, dGray, numPixels);
    CUDA_CHECK(cudaGetLastError());
    boxBlur<<<blocks, THREADS_PER_BLOCK>>>(dGray, dOut, width, height);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(out.data(), dOut, numPixels, cudaMemcpyDeviceToHost));

  printResult("blurred", out);
  if (check) {
    double worst = checkSample(rgb, out, width, height);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 0.0)
      return 3;
  }
  CUDA_CHECK(cudaFree(dRgb));
  CUDA_CHECK(cudaFree(dGray));
  CUDA_CHECK(cudaFree(dOut));
  return 0;
}
