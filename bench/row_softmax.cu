// Softmax over each row of a matrix, one thread per row.
// Naive: three passes over uncoalesced rows, expf computed twice for every
// element, a division inside the last loop.
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

__global__ void rowSoftmax(float *in, float *out, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;

  float maxVal = in[row * cols];
  for (int c = 1; c < cols; c++) {
    if (in[row * cols + c] > maxVal)
      maxVal = in[row * cols + c];
  }

  float sum = 0.0f;
  for (int c = 0; c < cols; c++)
    sum += expf(in[row * cols + c] - maxVal);

  for (int c = 0; c < cols; c++)
    out[row * cols + c] = expf(in[row * cols + c] - maxVal) / sum;
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

  int threads = 256;
  for (int run = 0; run < 5; run++) {
    rowSoftmax<<<(rows + threads - 1) / threads, threads>>>(dIn, dOut, rows,
                                                            cols);
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
