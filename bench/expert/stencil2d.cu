// Five-point Jacobi iteration as an expert writes it: a thread has a strip of
// four columns and eight rows in registers, so that nearly each row is read
// once, by float4; the weights are arguments and need no memory.
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

#define STEPS 10
constexpr int ROWS = 8; // of a strip
constexpr int THREADS_X = 32, THREADS_Y = 4;

struct Weights {
  float centre, left, right, up, down;
};

// For sizes that are multiples of four: rows are aligned.
__global__ void __launch_bounds__(THREADS_X *THREADS_Y)
    jacobiStep4(const float *__restrict__ in, float *__restrict__ out,
                Weights w, int n) {
  int j = (blockIdx.x * THREADS_X + threadIdx.x) * 4;
  int i0 = 1 + (blockIdx.y * THREADS_Y + threadIdx.y) * ROWS;
  if (j >= n || i0 >= n - 1)
    return;
  // All loads first, so that they are in flight together; below the grid the
  // last row is read again.
  float4 rows[ROWS + 2];
  float lefts[ROWS], rights[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS + 2; r++) {
    const float *line = in + (size_t)min(i0 - 1 + r, n - 1) * n;
    rows[r] = *reinterpret_cast<const float4 *>(line + j);
    if (r >= 1 && r <= ROWS) {
      lefts[r - 1] = j > 0 ? line[j - 1] : 0.0f;
      rights[r - 1] = j + 4 < n ? line[j + 4] : 0.0f;
    }
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    int i = i0 + r;
    if (i >= n - 1)
      return;
    float4 up = rows[r], here = rows[r + 1], down = rows[r + 2], v;
    float left = lefts[r], right = rights[r];
    v.x = w.centre * here.x + w.left * left + w.right * here.y + w.up * up.x +
          w.down * down.x;
    v.y = w.centre * here.y + w.left * here.x + w.right * here.z + w.up * up.y +
          w.down * down.y;
    v.z = w.centre * here.z + w.left * here.y + w.right * here.w + w.up * up.z +
          w.down * down.z;
    v.w = w.centre * here.w + w.left * here.z + w.right * right + w.up * up.w +
          w.down * down.w;
    // The border keeps its values.
    if (j == 0)
      v.x = here.x;
    if (j + 4 == n)
      v.w = here.w;
    *reinterpret_cast<float4 *>(out + (size_t)i * n + j) = v;
  }
}

// For any size.
__global__ void jacobiStep1(const float *__restrict__ in,
                            float *__restrict__ out, Weights w, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1)
    return;
  const float *at = in + (size_t)i * n + j;
  out[(size_t)i * n + j] = w.centre * at[0] + w.left * at[-1] +
                           w.right * at[1] + w.up * at[-n] + w.down * at[n];
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

// Value at (ci, cj) after all steps. Only a patch of STEPS cells around the
// point can have reached it, so only that patch is computed.
static double referenceAt(const std::vector<float> &start,
                          const std::vector<float> &w, int n, int ci, int cj) {
  int i0 = std::max(0, ci - STEPS), i1 = std::min(n - 1, ci + STEPS);
  int j0 = std::max(0, cj - STEPS), j1 = std::min(n - 1, cj + STEPS);
  int width = j1 - j0 + 1;
  std::vector<double> in, out;
  for (int i = i0; i <= i1; i++)
    for (int j = j0; j <= j1; j++)
      in.push_back(start[(size_t)i * n + j]);
  out = in;
  for (int step = 0; step < STEPS; step++) {
    for (int i = i0 + 1; i < i1; i++)
      for (int j = j0 + 1; j < j1; j++) {
        int p = (i - i0) * width + (j - j0);
        out[p] = w[0] * in[p] + w[1] * in[p - 1] + w[2] * in[p + 1] +
                 w[3] * in[p - width] + w[4] * in[p + width];
      }
    std::swap(in, out);
  }
  return in[(ci - i0) * width + (cj - j0)];
}

static double checkSample(const std::vector<float> &start,
                          const std::vector<float> &result,
                          const std::vector<float> &w, int n) {
  double worst = 0;
  int step = std::max(1, n / 16);
  for (int i = 0; i < n; i += step)
    for (int j = 0; j < n; j += step)
      worst = std::max(worst, relativeError(result[(size_t)i * n + j],
                                            referenceAt(start, w, n, i, j)));
  return worst;
}

int main(int argc, char **argv) {
  int n = 5120;
  bool check = false;
  parseArgs(argc, argv, 16384, &n, &check);

  size_t bytes = (size_t)n * n * sizeof(float);
  std::vector<float> grid0((size_t)n * n), result((size_t)n * n);
  std::vector<float> w = {0.4f, 0.15f, 0.15f, 0.15f, 0.15f};
  Lcg random;
  for (float &v : grid0)
    v = random.uniform();

  float *dIn, *dOut;
  CUDA_CHECK(cudaMalloc(&dIn, bytes));
  CUDA_CHECK(cudaMalloc(&dOut, bytes));
  CUDA_CHECK(cudaMemcpy(dIn, grid0.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dOut, dIn, bytes, cudaMemcpyDeviceToDevice));

  Weights weights = {w[0], w[1], w[2], w[3], w[4]};
  dim3 block(THREADS_X, THREADS_Y);
  dim3 strips((n + 4 * THREADS_X - 1) / (4 * THREADS_X),
              (n + ROWS * THREADS_Y - 1) / (ROWS * THREADS_Y));
  dim3 cells((n + THREADS_X - 1) / THREADS_X, (n + THREADS_Y - 1) / THREADS_Y);
  for (int step = 0; step < STEPS; step++) {
    if (n % 4 == 0)
      jacobiStep4<<<strips, block>>>(dIn, dOut, weights, n);
    else
      jacobiStep1<<<cells, block>>>(dIn, dOut, weights, n);
    CUDA_CHECK(cudaGetLastError());
    std::swap(dIn, dOut);
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(result.data(), dIn, bytes, cudaMemcpyDeviceToHost));

  printResult("grid", result);
  if (check) {
    double worst = checkSample(grid0, result, w, n);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dOut));
  return 0;
}
