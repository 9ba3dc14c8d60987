// Matrix product as an expert writes it: the kernel of the other product, since
// which index comes from where is no part of the problem. Each block computes a
// tile of 64 x 128 (so that the default size gives one block an SM), each
// thread 8 x 8 of it in registers. Tiles come by float4, one ahead, into two
// shared buffers; A is stored transposed; operands are read one step ahead.
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

constexpr int BM = 64, BN = 128, BK = 16, TM = 8, TN = 8;
constexpr int THREADS = BM / TM * (BN / TN);   // 128
constexpr int A_LOADS = BM * BK / 4 / THREADS; // float4 a thread
constexpr int B_LOADS = BK * BN / 4 / THREADS;
constexpr int A_ROW = BM + 4; // keeps float4 aligned, spreads the stores

// Four elements of a row, zero past the edges. VECTOR: rows are aligned.
template <bool VECTOR>
__device__ float4 load4(const float *__restrict__ m, int row, int col, int N) {
  float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (row >= N)
    return v;
  const float *p = m + (size_t)row * N + col;
  if (VECTOR) {
    if (col < N)
      v = *reinterpret_cast<const float4 *>(p);
    return v;
  }
  if (col < N)
    v.x = p[0];
  if (col + 1 < N)
    v.y = p[1];
  if (col + 2 < N)
    v.z = p[2];
  if (col + 3 < N)
    v.w = p[3];
  return v;
}

__device__ void loadFragment(float *to, const float *from, int stride) {
  float4 low = *reinterpret_cast<const float4 *>(from);
  float4 high = *reinterpret_cast<const float4 *>(from + stride);
  to[0] = low.x, to[1] = low.y, to[2] = low.z, to[3] = low.w;
  to[4] = high.x, to[5] = high.y, to[6] = high.z, to[7] = high.w;
}

template <bool VECTOR>
__global__ void __launch_bounds__(THREADS)
    matmulKernel(const float *__restrict__ A, const float *__restrict__ B,
                 float *__restrict__ C, int N) {
  __shared__ __align__(16) float As[2][BK][A_ROW];
  __shared__ __align__(16) float Bs[2][BK][BN];
  int tid = threadIdx.x;
  int firstRow = blockIdx.y * BM, firstCol = blockIdx.x * BN;
  int ty = tid / (BN / TN), tx = tid % (BN / TN);

  float4 nextA[A_LOADS], nextB[B_LOADS];
  auto fetch = [&](int k0) {
#pragma unroll
    for (int l = 0; l < A_LOADS; l++) {
      int at = tid + l * THREADS;
      nextA[l] =
          load4<VECTOR>(A, firstRow + at / (BK / 4), k0 + at % (BK / 4) * 4, N);
    }
#pragma unroll
    for (int l = 0; l < B_LOADS; l++) {
      int at = tid + l * THREADS;
      nextB[l] =
          load4<VECTOR>(B, k0 + at / (BN / 4), firstCol + at % (BN / 4) * 4, N);
    }
  };
  auto keep = [&](int buffer) {
#pragma unroll
    for (int l = 0; l < A_LOADS; l++) {
      int at = tid + l * THREADS, row = at / (BK / 4), k = at % (BK / 4) * 4;
      As[buffer][k][row] = nextA[l].x;
      As[buffer][k + 1][row] = nextA[l].y;
      As[buffer][k + 2][row] = nextA[l].z;
      As[buffer][k + 3][row] = nextA[l].w;
    }
#pragma unroll
    for (int l = 0; l < B_LOADS; l++) {
      int at = tid + l * THREADS;
      *reinterpret_cast<float4 *>(
          &Bs[buffer][at / (BN / 4)][at % (BN / 4) * 4]) = nextB[l];
    }
  };

  float sum[TM][TN] = {};
  float a[2][TM], b[2][TN];
  fetch(0);
  keep(0);
  __syncthreads();
  int buffer = 0;
  for (int k0 = 0; k0 < N; k0 += BK) {
    bool more = k0 + BK < N;
    if (more)
      fetch(k0 + BK);
    // Rows 4 * ty and 32 further, columns 4 * tx and 64 further: no two
    // threads of a quarter warp share a bank with another address.
    loadFragment(a[0], &As[buffer][0][4 * ty], BM / 2);
    loadFragment(b[0], &Bs[buffer][0][4 * tx], BN / 2);
#pragma unroll
    for (int k = 0; k < BK; k++) {
      if (k + 1 < BK) {
        loadFragment(a[(k + 1) % 2], &As[buffer][k + 1][4 * ty], BM / 2);
        loadFragment(b[(k + 1) % 2], &Bs[buffer][k + 1][4 * tx], BN / 2);
      }
#pragma unroll
      for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
          sum[i][j] += a[k % 2][i] * b[k % 2][j];
    }
    if (more)
      keep(buffer ^ 1);
    __syncthreads();
    buffer ^= 1;
  }

#pragma unroll
  for (int i = 0; i < TM; i++) {
    int row = firstRow + 4 * ty + i % 4 + i / 4 * (BM / 2);
    if (row >= N)
      continue;
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      int col = firstCol + 4 * tx + j / 4 * (BN / 2);
      float *to = C + (size_t)row * N + col;
      if (VECTOR) {
        if (col < N)
          *reinterpret_cast<float4 *>(to) = make_float4(
              sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
      } else {
        for (int l = 0; l < 4; l++)
          if (col + l < N)
            to[l] = sum[i][j + l];
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

// Compares up to 256 elements spread over C with a product in double.
static double checkSample(const std::vector<float> &A,
                          const std::vector<float> &B,
                          const std::vector<float> &C, int N) {
  double worst = 0;
  size_t total = C.size(), step = std::max<size_t>(1, total / 256) | 1;
  for (size_t i = 0; i < total; i += step) {
    size_t row = i / N, col = i % N;
    double want = 0;
    for (int k = 0; k < N; k++)
      want += (double)A[row * N + k] * B[(size_t)k * N + col];
    worst = std::max(worst, relativeError(C[i], want));
  }
  return worst;
}

int main(int argc, char **argv) {
  int N = 1024;
  bool check = false;
  parseArgs(argc, argv, 8192, &N, &check);

  size_t count = (size_t)N * N, bytes = count * sizeof(float);
  std::vector<float> A(count), B(count), C(count);
  Lcg random;
  for (size_t i = 0; i < count; i++)
    A[i] = random.uniform();
  for (size_t i = 0; i < count; i++)
    B[i] = random.uniform();

  float *dA, *dB, *dC;
  CUDA_CHECK(cudaMalloc(&dA, bytes));
  CUDA_CHECK(cudaMalloc(&dB, bytes));
  CUDA_CHECK(cudaMalloc(&dC, bytes));
  CUDA_CHECK(cudaMemcpy(dA, A.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(dB, B.data(), bytes, cudaMemcpyHostToDevice));

  dim3 grid((N + BN - 1) / BN, (N + BM - 1) / BM);
  for (int run = 0; run < 5; run++) {
    if (N % 4 == 0)
      matmulKernel<true><<<grid, THREADS>>>(dA, dB, dC, N);
    else
      matmulKernel<false><<<grid, THREADS>>>(dA, dB, dC, N);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(C.data(), dC, bytes, cudaMemcpyDeviceToHost));

  printResult("C", C);
  if (check) {
    double worst = checkSample(A, B, C, N);
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dA));
  CUDA_CHECK(cudaFree(dB));
  CUDA_CHECK(cudaFree(dC));
  return 0;
}
