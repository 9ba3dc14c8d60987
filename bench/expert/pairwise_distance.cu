// Squared distances between two sets of points as an expert writes it: tiles of
// both sets in shared memory, transposed; each thread computes a tile of pairs
// in registers; neighbouring threads write neighbouring results. Differences
// are squared as they are: |a|^2 + |b|^2 - 2ab would lose digits for near
// points.
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

constexpr int THREADS_X = 16, THREADS_Y = 8;

// A thread computes EACH x EACH pairs.
template <typename T, int DIM, int EACH>
__global__ void __launch_bounds__(THREADS_X *THREADS_Y)
    pairwiseDistance(const T *__restrict__ a, const T *__restrict__ b,
                     T *__restrict__ out, int n, int m) {
  constexpr int ROWS = THREADS_Y * EACH, COLUMNS = THREADS_X * EACH;
  __shared__ T As[DIM][ROWS + 1], Bs[DIM][COLUMNS + 1];
  int tx = threadIdx.x, ty = threadIdx.y, tid = ty * THREADS_X + tx;
  int i0 = blockIdx.y * ROWS, j0 = blockIdx.x * COLUMNS;
  // The points of a tile lie one after the other.
  for (int at = tid; at < ROWS * DIM; at += THREADS_X * THREADS_Y)
    As[at % DIM][at / DIM] =
        i0 + at / DIM < n ? a[(size_t)i0 * DIM + at] : (T)0;
  for (int at = tid; at < COLUMNS * DIM; at += THREADS_X * THREADS_Y)
    Bs[at % DIM][at / DIM] =
        j0 + at / DIM < m ? b[(size_t)j0 * DIM + at] : (T)0;
  __syncthreads();

  T sum[EACH][EACH] = {};
#pragma unroll 4
  for (int d = 0; d < DIM; d++) {
    T p[EACH], q[EACH];
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      p[e] = As[d][ty + e * THREADS_Y];
      q[e] = Bs[d][tx + e * THREADS_X];
    }
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
      for (int j = 0; j < EACH; j++) {
        T difference = p[i] - q[j];
        sum[i][j] += difference * difference;
      }
  }
#pragma unroll
  for (int i = 0; i < EACH; i++) {
    int row = i0 + ty + i * THREADS_Y;
    if (row >= n)
      return;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      int column = j0 + tx + j * THREADS_X;
      if (column < m)
        __stcs(out + (size_t)row * m + column, sum[i][j]);
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

template <typename T, int DIM, int EACH> struct Problem {
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
    dim3 block(THREADS_X, THREADS_Y);
    dim3 grid((m + THREADS_X * EACH - 1) / (THREADS_X * EACH),
              (n + THREADS_Y * EACH - 1) / (THREADS_Y * EACH));
    for (int i = 0; i < times; i++) {
      pairwiseDistance<T, DIM, EACH><<<grid, block>>>(dA, dB, dOut, n, m);
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
  Problem<float, 32, 8> single(n, n + 5, random);
  Problem<double, 24, 4> wide(std::max(1, n / 2), n, random);
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
