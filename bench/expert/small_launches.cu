// Gaussian elimination without pivoting as an expert writes it: by panels of 32
// columns, one launch a panel. Each block factors the small diagonal block
// again (cheaper than to wait for another launch), solves for its own 64 rows
// of L and 64 columns of U, and subtracts their product from its tile. The rows
// of U go to a matrix of their own, since other blocks still read what they
// come from.
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

constexpr int PANEL = 32, TILE = 64, THREADS = 256;
constexpr int EACH = 4; // of the tile, rows and columns a thread
constexpr int PITCH = TILE + 4, DIAGONAL_PITCH = PANEL + 4; // aligned rows

// Factors the diagonal block in place by one warp, lane i having row i in
// registers; INVERSE gets the reciprocal of the diagonal.
__device__ void factorDiagonal(float (*D)[DIAGONAL_PITCH], float *inverse,
                               int lane) {
  float x[PANEL], diagonal = 1.0f;
#pragma unroll
  for (int j = 0; j < PANEL; j++)
    x[j] = D[lane][j];
#pragma unroll
  for (int k = 0; k < PANEL; k++) {
    float pivot = __shfl_sync(0xffffffffu, x[k], k);
    if (lane == k)
      diagonal = pivot;
    float factor = lane > k ? x[k] / pivot : 0.0f;
#pragma unroll
    for (int j = k + 1; j < PANEL; j++)
      x[j] -= factor * __shfl_sync(0xffffffffu, x[j], k);
    if (lane > k)
      x[k] = factor;
  }
#pragma unroll
  for (int j = 0; j < PANEL; j++)
    D[lane][j] = x[j];
  inverse[lane] = 1.0f / diagonal;
}

__global__ void __launch_bounds__(THREADS)
    eliminatePanel(float *A, float *U, float *M, int n, int k0) {
  __shared__ __align__(16) float D[PANEL][DIAGONAL_PITCH];
  __shared__ float inverse[PANEL];
  __shared__ __align__(16) float L[PANEL][PITCH]; // transposed
  __shared__ __align__(16) float R[PANEL][PITCH];
  int tid = threadIdx.x, width = min(PANEL, n - k0);
  int row0 = k0 + PANEL + blockIdx.y * TILE;
  int col0 = k0 + PANEL + blockIdx.x * TILE;

  // Past the edges stand the identity and zeros, which change nothing.
  for (int at = tid; at < PANEL * PANEL; at += THREADS) {
    int i = at / PANEL, j = at % PANEL;
    bool inside = i < width && j < width;
    D[i][j] = inside ? A[(size_t)(k0 + i) * n + k0 + j] : i == j ? 1.0f : 0.0f;
  }
  for (int at = tid; at < PANEL * TILE; at += THREADS) {
    int r = at / PANEL, k = at % PANEL;
    bool inside = row0 + r < n && k < width;
    L[k][r] = inside ? A[(size_t)(row0 + r) * n + k0 + k] : 0.0f;
    int c = at % TILE;
    k = at / TILE;
    inside = col0 + c < n && k < width;
    R[k][c] = inside ? A[(size_t)(k0 + k) * n + col0 + c] : 0.0f;
  }
  __syncthreads();
  if (tid < 32)
    factorDiagonal(D, inverse, tid);
  __syncthreads();

  if (tid < TILE) { // a row of L: x * U = a
    float x[PANEL];
#pragma unroll
    for (int k = 0; k < PANEL; k++)
      x[k] = L[k][tid];
#pragma unroll
    for (int k = 0; k < PANEL; k++) {
      x[k] *= inverse[k];
#pragma unroll
      for (int j = k + 1; j < PANEL; j++)
        x[j] -= x[k] * D[k][j];
    }
#pragma unroll
    for (int k = 0; k < PANEL; k++)
      L[k][tid] = x[k];
  } else if (tid < 2 * TILE) { // a column of U: L * x = a
    int c = tid - TILE;
    float x[PANEL];
#pragma unroll
    for (int k = 0; k < PANEL; k++)
      x[k] = R[k][c];
#pragma unroll
    for (int k = 0; k < PANEL; k++)
#pragma unroll
      for (int i = k + 1; i < PANEL; i++)
        x[i] -= D[i][k] * x[k];
#pragma unroll
    for (int k = 0; k < PANEL; k++)
      R[k][c] = x[k];
  }
  __syncthreads();

  // What is finished, each by one block.
  if (blockIdx.x == 0 && blockIdx.y == 0)
    for (int at = tid; at < PANEL * PANEL; at += THREADS) {
      int i = at / PANEL, j = at % PANEL;
      if (i < width && j < width)
        (i > j ? M : U)[(size_t)(k0 + i) * n + k0 + j] = D[i][j];
    }
  if (blockIdx.x == 0)
    for (int at = tid; at < PANEL * TILE; at += THREADS) {
      int r = at / PANEL, k = at % PANEL;
      if (row0 + r < n)
        M[(size_t)(row0 + r) * n + k0 + k] = L[k][r];
    }
  if (blockIdx.y == 0)
    for (int at = tid; at < PANEL * TILE; at += THREADS) {
      int k = at / TILE, c = at % TILE;
      if (col0 + c < n)
        U[(size_t)(k0 + k) * n + col0 + c] = R[k][c];
    }

  int ty = tid / (TILE / EACH) * EACH, tx = tid % (TILE / EACH);
  float sum[EACH][EACH] = {};
#pragma unroll 8
  for (int k = 0; k < PANEL; k++) {
    float4 l = *reinterpret_cast<const float4 *>(&L[k][ty]);
    float left[EACH] = {l.x, l.y, l.z, l.w};
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      float right = R[k][tx + j * (TILE / EACH)];
#pragma unroll
      for (int i = 0; i < EACH; i++)
        sum[i][j] += left[i] * right;
    }
  }
#pragma unroll
  for (int i = 0; i < EACH; i++)
#pragma unroll
    for (int j = 0; j < EACH; j++) {
      int row = row0 + ty + i, col = col0 + tx + j * (TILE / EACH);
      if (row < n && col < n)
        A[(size_t)row * n + col] -= sum[i][j];
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
  int n = 512;
  bool check = false;
  parseArgs(argc, argv, 2048, &n, &check);

  size_t count = (size_t)n * n, bytes = count * sizeof(float);
  std::vector<float> A(count), upper(count), lower(count);
  Lcg random;
  for (int i = 0; i < n; i++) // a heavy diagonal: no pivots are needed
    for (int j = 0; j < n; j++)
      A[(size_t)i * n + j] = random.uniform() + (i == j ? n : 0);

  float *dA, *dU, *dM;
  CUDA_CHECK(cudaMalloc(&dA, bytes));
  CUDA_CHECK(cudaMalloc(&dU, bytes));
  CUDA_CHECK(cudaMalloc(&dM, bytes));
  CUDA_CHECK(cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(dU, 0, bytes));
  CUDA_CHECK(cudaMemset(dM, 0, bytes));

  for (int k = 0; k < n; k += PANEL) {
    int tiles = std::max(1, (n - k - PANEL + TILE - 1) / TILE);
    eliminatePanel<<<dim3(tiles, tiles), THREADS>>>(dA, dU, dM, n, k);
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(upper.data(), dU, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(lower.data(), dM, bytes, cudaMemcpyDeviceToHost));

  // Below the diagonal only rounding is left.
  for (int i = 0; i < n; i++)
    std::fill_n(upper.begin() + (size_t)i * n, i, 0.0f);
  printResult("U", upper);
  printResult("L", lower);
  if (check) {
    // L * U is A again.
    double worst = 0;
    for (size_t p = 0; p < count; p += 1 + count / 4000) {
      int i = p / n, j = p % n;
      double sum = i <= j ? upper[p] : 0;
      for (int k = 0; k < i && k <= j; k++)
        sum += (double)lower[(size_t)i * n + k] * upper[(size_t)k * n + j];
      worst = std::max(worst, relativeError(1.0 + sum, 1.0 + A[p]));
    }
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dA));
  CUDA_CHECK(cudaFree(dU));
  CUDA_CHECK(cudaFree(dM));
  return 0;
}
