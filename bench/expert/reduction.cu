// Sum of a large array as an expert writes it: a warp adds the 256 elements of
// a partial sum by two float4 a lane and shuffles, four partial sums at a time
// so that enough loads are in flight. The partial sums are added by one more
// kernel: each block its share, the last block that ends the rest.
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

#define BLOCK_SIZE 256 // elements of a partial sum
constexpr int THREADS = 256, AT_ONCE = 4, TOTAL_BLOCKS = 64;

__device__ float warpSum(float v) {
  for (int s = 16; s > 0; s /= 2)
    v += __shfl_xor_sync(0xffffffffu, v, s);
  return v;
}

__device__ float4 load4(const float *__restrict__ in, long long at, int n) {
  if (at + 3 < n)
    return __ldcs(reinterpret_cast<const float4 *>(in + at));
  float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (at < n)
    v.x = in[at];
  if (at + 1 < n)
    v.y = in[at + 1];
  if (at + 2 < n)
    v.z = in[at + 2];
  return v;
}

__global__ void __launch_bounds__(THREADS)
    partialSums(const float *__restrict__ in, float *__restrict__ out, int n,
                int count) {
  int lane = threadIdx.x % 32;
  int first = (blockIdx.x * (THREADS / 32) + threadIdx.x / 32) * AT_ONCE;
  float4 a[AT_ONCE], b[AT_ONCE];
#pragma unroll
  for (int s = 0; s < AT_ONCE; s++) {
    long long at = (long long)(first + s) * BLOCK_SIZE + 4 * lane;
    a[s] = load4(in, at, n);
    b[s] = load4(in, at + BLOCK_SIZE / 2, n);
  }
#pragma unroll
  for (int s = 0; s < AT_ONCE; s++) {
    float sum = warpSum((a[s].x + a[s].y) + (a[s].z + a[s].w) +
                        ((b[s].x + b[s].y) + (b[s].z + b[s].w)));
    if (lane == 0 && first + s < count)
      out[first + s] = sum;
  }
}

__device__ float blockSum(float v) {
  __shared__ float warps[THREADS / 32];
  v = warpSum(v);
  if (threadIdx.x % 32 == 0)
    warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < THREADS / 32 ? warps[threadIdx.x] : 0.0f;
  v = warpSum(v); // right in the first warp
  __syncthreads();
  return v;
}

__global__ void __launch_bounds__(THREADS)
    total(const float *__restrict__ partial, int count, float *shares,
          unsigned int *ended, float *result) {
  __shared__ bool last;
  float sum = 0.0f;
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < count;
       i += gridDim.x * THREADS)
    sum += partial[i];
  sum = blockSum(sum);
  if (threadIdx.x == 0) {
    shares[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(ended, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last)
    return;
  __threadfence();
  sum = threadIdx.x < gridDim.x ? __ldcg(shares + threadIdx.x) : 0.0f;
  sum = blockSum(sum);
  if (threadIdx.x == 0)
    *result = sum;
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

static double relativeError(double got, double want) {
  double err = fabs(got - want) / std::max(fabs(want), 1e-3);
  return std::isfinite(err) ? err : 1e30; // a NaN must not pass as small
}

int main(int argc, char **argv) {
  int n = 1 << 25;
  bool check = false;
  parseArgs(argc, argv, 1 << 28, &n, &check);

  std::vector<float> in(n);
  Lcg random;
  for (float &v : in)
    v = random.uniform();

  int blocks = (n + BLOCK_SIZE - 1) / BLOCK_SIZE;
  float *dIn, *dPartial, *dShares, *dTotal;
  unsigned int *dEnded;
  CUDA_CHECK(cudaMalloc(&dIn, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dPartial, blocks * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dShares, TOTAL_BLOCKS * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dTotal, sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dEnded, sizeof(unsigned int)));
  CUDA_CHECK(cudaMemset(dEnded, 0, sizeof(unsigned int)));
  CUDA_CHECK(
      cudaMemcpy(dIn, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));

  // The first level's partial sums stay in dPartial, to be printed.
  int perBlock = THREADS / 32 * AT_ONCE;
  for (int run = 0; run < 5; run++) {
    partialSums<<<(blocks + perBlock - 1) / perBlock, THREADS>>>(dIn, dPartial,
                                                                 n, blocks);
    CUDA_CHECK(cudaGetLastError());
  }
  std::vector<float> partial(blocks);
  CUDA_CHECK(cudaMemcpy(partial.data(), dPartial, blocks * sizeof(float),
                        cudaMemcpyDeviceToHost));
  total<<<TOTAL_BLOCKS, THREADS>>>(dPartial, blocks, dShares, dEnded, dTotal);
  CUDA_CHECK(cudaGetLastError());
  float sumOfAll = 0;
  CUDA_CHECK(
      cudaMemcpy(&sumOfAll, dTotal, sizeof(float), cudaMemcpyDeviceToHost));

  printf("total %.6e\n", sumOfAll);
  printf("partial samples %.6e %.6e %.6e\n", partial[0], partial[blocks / 2],
         partial[blocks - 1]);
  if (check) {
    double want = 0, worst = 0;
    for (int b = 0; b < blocks; b++) {
      double sum = 0;
      for (int i = b * BLOCK_SIZE; i < std::min(n, (b + 1) * BLOCK_SIZE); i++)
        sum += in[i];
      worst = std::max(worst, relativeError(partial[b], sum));
      want += sum;
    }
    worst = std::max(worst, relativeError(sumOfAll, want));
    printf("check: max relative error %.3e\n", worst);
    if (worst > 1e-4)
      return 3;
  }
  CUDA_CHECK(cudaFree(dIn));
  CUDA_CHECK(cudaFree(dPartial));
  CUDA_CHECK(cudaFree(dShares));
  CUDA_CHECK(cudaFree(dTotal));
  CUDA_CHECK(cudaFree(dEnded));
  return 0;
}
