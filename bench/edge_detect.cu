// Edges of a grey 8-bit image: Gaussian blur, then Sobel, then a threshold.
// Naive: a kernel each, byte loads, coordinates clamped for each tap, weights
// in global memory, a division where a shift does, square root to compare.
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

typedef unsigned char uint8;
#define CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))

__global__ void gaussian(uint8 *in, uint8 *out, int *weights, int width,
                         int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int sum = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      int xx = CLAMP(x + dx, 0, width - 1);
      int yy = CLAMP(y + dy, 0, height - 1);
      sum += weights[dy + 2] * weights[dx + 2] * in[yy * width + xx];
    }
  out[y * width + x] = (sum + 128) / 256;
}

__global__ void sobel(uint8 *in, uint8 *out, int width, int height,
                      int threshold) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  out[y * width + x] = 0;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
    return;
  int gx = in[(y - 1) * width + x + 1] - in[(y - 1) * width + x - 1] +
           2 * in[y * width + x + 1] - 2 * in[y * width + x - 1] +
           in[(y + 1) * width + x + 1] - in[(y + 1) * width + x - 1];
  int gy = in[(y + 1) * width + x - 1] - in[(y - 1) * width + x - 1] +
           2 * in[(y + 1) * width + x] - 2 * in[(y - 1) * width + x] +
           in[(y + 1) * width + x + 1] - in[(y - 1) * width + x + 1];
  if (sqrtf((float)(gx * gx + gy * gy)) >= threshold)
    out[y * width + x] = 255;
}

// Small deterministic generator: the same numbers on every machine.
struct Lcg {
  unsigned state = 12345u;
  unsigned bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
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

static void printResult(const char *name, const std::vector<uint8> &v) {
  double sum = 0, weighted = 0;
  uint8 low = v[0], high = v[0];
  for (size_t i = 0; i < v.size(); i++) {
    sum += (double)v[i];
    weighted += (double)v[i] * (1 + i % 97);
    low = std::min(low, v[i]);
    high = std::max(high, v[i]);
  }
  printf("%s sum %.6e weighted %.6e min %.6e max %.6e\n", name, sum, weighted,
         (double)low, (double)high);
  printf("%s samples %.6e %.6e %.6e %.6e\n", name, (double)v[0],
         (double)v[v.size() / 3], (double)v[v.size() / 2],
         (double)v[v.size() - 1]);
}

static const int weights[5] = {1, 4, 6, 4, 1};

static int blurredAt(const std::vector<uint8> &image, int width, int height,
                     int x, int y) {
  int sum = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      int xx = std::min(std::max(x + dx, 0), width - 1);
      int yy = std::min(std::max(y + dy, 0), height - 1);
      sum += weights[dy + 2] * weights[dx + 2] * image[yy * width + xx];
    }
  return (sum + 128) / 256;
}

static int edgeAt(const std::vector<uint8> &image, int width, int height, int x,
                  int y, int threshold) {
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
    return 0;
  int gx = 0, gy = 0;
  for (int d = -1; d <= 1; d++) {
    int weight = d == 0 ? 2 : 1;
    gx += weight * (blurredAt(image, width, height, x + 1, y + d) -
                    blurredAt(image, width, height, x - 1, y + d));
    gy += weight * (blurredAt(image, width, height, x + d, y + 1) -
                    blurredAt(image, width, height, x + d, y - 1));
  }
  return gx * gx + gy * gy >= threshold * threshold ? 255 : 0;
}

int main(int argc, char **argv) {
  int width = 4096;
  bool check = false;
  parseArgs(argc, argv, 16384, &width, &check);

  const int threshold = 60;
  int height = width * 3 / 4 + 1;
  size_t count = (size_t)width * height;
  std::vector<uint8> image(count), edges(count);
  Lcg random;
  for (int y = 0; y < height; y++) // squares of two greys, and noise
    for (int x = 0; x < width; x++)
      image[(size_t)y * width + x] =
          ((x / 11 + y / 9) % 2 ? 170 : 60) + random.bits() % 40;

  uint8 *dImage, *dBlurred, *dEdges;
  int *dWeights;
  CUDA_CHECK(cudaMalloc(&dImage, count));
  CUDA_CHECK(cudaMalloc(&dBlurred, count));
  CUDA_CHECK(cudaMalloc(&dEdges, count));
  CUDA_CHECK(cudaMalloc(&dWeights, sizeof(weights)));
  CUDA_CHECK(cudaMemcpy(dImage, image.data(), count, cudaMemcpyHostToDevice));
  CUDA_CHECK(
      cudaMemcpy(dWeights, weights, sizeof(weights), cudaMemcpyHostToDevice));

  dim3 block(16, 16);
  dim3 grid((width + 15) / 16, (height + 15) / 16);
  for (int run = 0; run < 5; run++) {
    gaussian<<<grid, block>>>(dImage, dBlurred, dWeights, width, height);
    sobel<<<grid, block>>>(dBlurred, dEdges, width, height, threshold);
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(edges.data(), dEdges, count, cudaMemcpyDeviceToHost));

  printResult("edges", edges);
  if (check) {
    double worst = 0;
    for (size_t i = 0; i < count; i += 1 + count / 20000) {
      int x = i % width, y = i / width;
      if (edges[i] != edgeAt(image, width, height, x, y, threshold))
        worst = 1;
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 0)
      return 3;
  }
  CUDA_CHECK(cudaFree(dImage));
  CUDA_CHECK(cudaFree(dBlurred));
  CUDA_CHECK(cudaFree(dEdges));
  CUDA_CHECK(cudaFree(dWeights));
  return 0;
}
