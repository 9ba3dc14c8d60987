// Two-dimensional convolution with a square filter of constant size, zero
// outside the image.
// Naive: filter coefficients are read from global memory for every tap, four
// bounds are tested in the inner loop, the sum lives in the output array.
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

__global__ void convolve(float *image, float *filter, float *out, int width,
                         int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  out[y * width + x] = 0.0f;
  for (int fy = -RADIUS; fy <= RADIUS; fy++) {
    for (int fx = -RADIUS; fx <= RADIUS; fx++) {
      if (x + fx >= 0 && x + fx < width && y + fy >= 0 && y + fy < height)
        out[y * width + x] +=
            image[(y + fy) * width + x + fx] *
            filter[(fy + RADIUS) * FILTER_WIDTH + fx + RADIUS];
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

  float *dImage, *dFilter, *dOut;
  CUDA_CHECK(cudaMalloc(&dImage, bytes));
  CUDA_CHECK(cudaMalloc(&dFilter, filter.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dOut, bytes));
  CUDA_CHECK(cudaMemcpy(dImage, image.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dFilter, filter.data(), filter.size() * sizeof(float),
                        cudaMemcpyHostToDevice));

  dim3 threads(16, 16);
  dim3 blocks((width + 15) / 16, (height + 15) / 16);
  for (int run = 0; run < 5; run++) {
    convolve<<<blocks, threads>>>(dImage, dFilter, dOut, width, height);
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
  CUDA_CHECK(cudaFree(dFilter));
  CUDA_CHECK(cudaFree(dOut));
  return 0;
}
