// Sparse matrix times vector in CSR form as an expert writes it: eight lanes a
// row, as suits its average length, so that neighbouring lanes read
// neighbouring elements; two elements a lane in flight; the matrix streams past
// the caches, which are left to the vector.
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

typedef struct {
  int rows;
  std::vector<int> rowPtr, cols;
  std::vector<float> values;
} CsrMatrix;

constexpr int THREADS = 256, LANES = 8; // lanes a row

__global__ void __launch_bounds__(THREADS)
    spmvVector(int rows, const int *__restrict__ rowPtr,
               const int *__restrict__ cols, const float *__restrict__ values,
               const float *__restrict__ x, float *__restrict__ y) {
  int row = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
  int lane = threadIdx.x % LANES;
  float sum = 0.0f, other = 0.0f;
  if (row < rows) {
    int end = __ldg(rowPtr + row + 1), k = __ldg(rowPtr + row) + lane;
    for (; k + LANES < end; k += 2 * LANES) {
      int c0 = __ldcs(cols + k), c1 = __ldcs(cols + k + LANES);
      float v0 = __ldcs(values + k), v1 = __ldcs(values + k + LANES);
      sum += v0 * __ldg(x + c0);
      other += v1 * __ldg(x + c1);
    }
    if (k < end)
      sum += __ldcs(values + k) * __ldg(x + __ldcs(cols + k));
  }
  sum += other;
  for (int s = LANES / 2; s > 0; s /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, s);
  if (row < rows && lane == 0)
    y[row] = sum;
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

static CsrMatrix makeMatrix(int rows, Lcg &random) {
  CsrMatrix m;
  m.rows = rows;
  m.rowPtr.push_back(0);
  for (int r = 0; r < rows; r++) {
    int length = 4 + random.bits() % 56;
    for (int k = 0; k < length; k++) {
      m.cols.push_back(random.bits() % rows);
      m.values.push_back(random.uniform());
    }
    m.rowPtr.push_back((int)m.cols.size());
  }
  return m;
}

static double checkAll(const CsrMatrix &m, const std::vector<float> &x,
                       const std::vector<float> &y) {
  double worst = 0;
  for (int r = 0; r < m.rows; r++) {
    double want = 0;
    for (int k = m.rowPtr[r]; k < m.rowPtr[r + 1]; k++)
      want += (double)m.values[k] * x[m.cols[k]];
    worst = std::max(worst, relativeError(y[r], want));
  }
  return worst;
}

int main(int argc, char **argv) {
  int rows = 1 << 18;
  bool check = false;
  parseArgs(argc, argv, 1 << 22, &rows, &check);

  Lcg random;
  CsrMatrix m = makeMatrix(rows, random);
  std::vector<float> x(rows), y(rows);
  for (float &v : x)
    v = random.uniform();

  size_t nnz = m.values.size();
  int *dRowPtr, *dCols;
  float *dValues, *dX, *dY;
  CUDA_CHECK(cudaMalloc(&dRowPtr, (rows + 1) * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dCols, nnz * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&dValues, nnz * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dX, rows * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dY, rows * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(dRowPtr, m.rowPtr.data(), (rows + 1) * sizeof(int),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dCols, m.cols.data(), nnz * sizeof(int),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dValues, m.values.data(), nnz * sizeof(float),
                        cudaMemcpyHostToDevice));
  CUDA_CHECK(
      cudaMemcpy(dX, x.data(), rows * sizeof(float), cudaMemcpyHostToDevice));

  const int perBlock = THREADS / LANES;
  const int blocks = (rows + perBlock - 1) / perBlock;
  for (int run = 0; run < 10; run++) {
    spmvVector<<<blocks, THREADS>>>(rows, dRowPtr, dCols, dValues, dX, dY);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(
      cudaMemcpy(y.data(), dY, rows * sizeof(float), cudaMemcpyDeviceToHost));

  printResult("y", y);
  if (check) {
    double worst = checkAll(m, x, y);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dRowPtr));
  CUDA_CHECK(cudaFree(dCols));
  CUDA_CHECK(cudaFree(dValues));
  CUDA_CHECK(cudaFree(dX));
  CUDA_CHECK(cudaFree(dY));
  return 0;
}
