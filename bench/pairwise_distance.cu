// Squared distances between two sets of points, a template instantiated for
// float and double and for two dimensions.
// Naive: the sum lives in the output array, and neighbouring threads read
// points that lie DIM elements apart.
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

template <typename T, int DIM>
__global__ void pairwiseDistance(T *a, T *b, T *out, int n, int m) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < m) {
    out[i * m + j] = 0;
    for (int d = 0; d < DIM; d++) {
      out[i * m + j] +=
          (a[i * DIM + d] - b[j * DIM + d]) * (a[i * DIM + d] - b[j * DIM + d]);
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

template <typename T>
static void printResult(const char *name, const std::vector<T> &v) {
  double sum = 0, weighted = 0;
  T low = v[0], high = v[0];
  for (size_t i = 0; i < v.size(); i++) {
    sum += v[i];
    weighted += (double)v[i] * (1 + i % 97);
    low = std::min(low, v[i]);
    high = std::max(high, v[i]);
  }
  printf("%s sum %.6e weighted %.6e min %.6e max %.6e\n", name, sum, weighted,
         (double)low, (double)high);
  printf("%s samples %.6e %.6e %.6e\n", name, (double)v[0],
         (double)v[v.size() / 2], (double)v[v.size() - 1]);
}

static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1e-3);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

template <typename T, int DIM> struct Problem {
  int n, m;
  std::vector<T> a, b, out;

  Problem(int n, int m, Lcg &random)
      : n(n), m(m), a((size_t)n * DIM), b((size_t)m * DIM), out((size_t)n * m) {
    for (T &v : a)
      v = random.uniform();
    for (T &v : b)
      v = random.uniform();
  }

  void run(int times) {
    T *dA, *dB, *dOut;
    CUDA_CHECK(cudaMalloc(&dA, a.size() * sizeof(T)));
    CUDA_CHECK(cudaMalloc(&dB, b.size() * sizeof(T)));
    CUDA_CHECK(cudaMalloc(&dOut, out.size() * sizeof(T)));
    CUDA_CHECK(
        cudaMemcpy(dA, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice));
    CUDA_CHECK(
        cudaMemcpy(dB, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice));
    dim3 block(32, 8);
    dim3 grid((m + block.x - 1) / block.x, (n + block.y - 1) / block.y);
    for (int i = 0; i < times; i++) {
      pairwiseDistance<T, DIM><<<grid, block>>>(dA, dB, dOut, n, m);
      CUDA_CHECK(cudaGetLastError());
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(out.data(), dOut, out.size() * sizeof(T),
                          cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(dA));
    CUDA_CHECK(cudaFree(dB));
    CUDA_CHECK(cudaFree(dOut));
  }

  double checkSample() const {
    double worst = 0;
    size_t step = std::max<size_t>(1, out.size() / 10000) | 1;
    for (size_t k = 0; k < out.size(); k += step) {
      const T *p = &a[k / m * DIM], *q = &b[k % m * DIM];
      double want = 0;
      for (int d = 0; d < DIM; d++)
        want += ((double)p[d] - q[d]) * ((double)p[d] - q[d]);
      worst = std::max(worst, relativeError(out[k], want));
    }
    return worst;
  }
};

int main(int argc, char **argv) {
  int n = 2048;
  bool check = false;
  parseArgs(argc, argv, 16384, &n, &check);

  Lcg random;
  Problem<float, 32> single(n, n + 5, random);
  Problem<double, 24> wide(std::max(1, n / 2), n, random);
  single.run(5);
  wide.run(5);

  printResult("float distances", single.out);
  printResult("double distances", wide.out);
  if (check) {
    double worst = std::max(single.checkSample(), wide.checkSample());
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  return 0;
}
