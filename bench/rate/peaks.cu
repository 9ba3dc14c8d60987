// What this GPU can do at most, measured: bandwidth by the size of the working
// set (in cyclic passes past the first-level cache), and the rate of each kind
// of instruction. Prints JSON. Each figure is the best of several runs, and of
// each run the result is checked; a figure whose result is wrong is left out.
//
// Units: 1e9 bytes per second; 1e9 operations of one lane per second, a fused
// multiply-add being one operation.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
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

constexpr int Threads = 256, BlocksPerSm = 8, Runs = 7;
constexpr int Chains = 8;       // independent instructions in flight a thread
constexpr int Iterations = 501; // odd: an alternating chain must end changed

// --- Bandwidth ---------------------------------------------------------------

__global__ void readPasses(const uint4 *in, unsigned *sums, size_t count,
                           int passes) {
  size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  size_t step = (size_t)gridDim.x * blockDim.x;
  unsigned sum = 0;
  for (int pass = 0; pass < passes; pass++) {
    size_t i = first;
    for (; i + 3 * step < count; i += 4 * step) {
      uint4 a = __ldcg(in + i), b = __ldcg(in + i + step);
      uint4 c = __ldcg(in + i + 2 * step), d = __ldcg(in + i + 3 * step);
      sum += (a.x ^ a.y) + (a.z ^ a.w) + (b.x ^ b.y) + (b.z ^ b.w);
      sum += (c.x ^ c.y) + (c.z ^ c.w) + (d.x ^ d.y) + (d.z ^ d.w);
    }
    for (; i < count; i += step) {
      uint4 a = __ldcg(in + i);
      sum += (a.x ^ a.y) + (a.z ^ a.w);
    }
  }
  atomicAdd(sums, sum);
}

__global__ void copyPasses(const uint4 *in, uint4 *out, size_t count,
                           int passes) {
  size_t first = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  size_t step = (size_t)gridDim.x * blockDim.x;
  for (int pass = 0; pass < passes; pass++) {
    size_t i = first;
    for (; i + 3 * step < count; i += 4 * step) {
      uint4 a = __ldcg(in + i), b = __ldcg(in + i + step);
      uint4 c = __ldcg(in + i + 2 * step), d = __ldcg(in + i + 3 * step);
      __stcg(out + i, a), __stcg(out + i + step, b);
      __stcg(out + i + 2 * step, c), __stcg(out + i + 3 * step, d);
    }
    for (; i < count; i += step)
      __stcg(out + i, __ldcg(in + i));
  }
}

__global__ void fill(uint4 *out, size_t count) {
  size_t step = (size_t)gridDim.x * blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
       i += step)
    out[i] = make_uint4(i, 0, 1, 0);
}

// --- Instructions ------------------------------------------------------------

// x becomes 1 - x, again and again: exact in every type.
template <typename T> __device__ T fusedStep(T x, T a, T b);
template <> __device__ float fusedStep(float x, float a, float b) {
  return __fmaf_rn(x, a, b);
}
template <> __device__ double fusedStep(double x, double a, double b) {
  return __fma_rn(x, a, b);
}
template <> __device__ half2 fusedStep(half2 x, half2 a, half2 b) {
  return __hfma2(x, a, b);
}
// a * x + b in wrap-around arithmetic.
template <> __device__ unsigned fusedStep(unsigned x, unsigned a, unsigned b) {
  return x * a + b;
}

// OTHERS is 0: without it the compiler would see that all chains are equal.
template <typename T>
__global__ void fusedChains(T *out, T start, T a, T b, T one, int others) {
  T x[Chains];
  for (int c = 0; c < Chains; c++)
    x[c] = others ? out[c] : start;
#pragma unroll 4
  for (int i = 0; i < Iterations; i++)
#pragma unroll
    for (int c = 0; c < Chains; c++)
      x[c] = fusedStep(x[c], a, b);
  T sum = x[0];
  for (int c = 1; c < Chains; c++)
    sum = fusedStep(x[c], one, sum);
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void addChains(unsigned *out, unsigned start, unsigned other,
                          int others) {
  unsigned x[Chains], y[Chains];
  for (int c = 0; c < Chains; c++)
    x[c] = start, y[c] = others ? out[c] : other;
#pragma unroll 4
  for (int i = 0; i < Iterations; i++)
#pragma unroll
    for (int c = 0; c < Chains; c++) { // Fibonacci's numbers: nothing to fold
      x[c] += y[c];
      y[c] += x[c];
    }
  unsigned sum = 0;
  for (int c = 0; c < Chains; c++)
    sum += x[c];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void exponentials(float *out, float start) {
  float x[Chains];
  for (int c = 0; c < Chains; c++)
    x[c] = start + c * 0.125f;
#pragma unroll 4
  for (int i = 0; i < Iterations; i++)
#pragma unroll
    for (int c = 0; c < Chains; c++) // 2^-x: tends to 0.6412
      asm volatile("{.reg .f32 t; neg.f32 t, %0; ex2.approx.ftz.f32 %0, t;}"
                   : "+f"(x[c]));
  float sum = 0;
  for (int c = 0; c < Chains; c++)
    sum += x[c];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum / Chains;
}

__global__ void sharedAtomics(unsigned *out, unsigned add) {
  __shared__ unsigned bins[Threads];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < Iterations; i++)
    atomicAdd(&bins[(threadIdx.x + i) % Threads], add); // no two on one bank
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = bins[threadIdx.x];
}

// Products of matrices of ones in double on the tensor cores: each element of
// the sum grows by DEPTH a step.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MMA_DOUBLE(d, a, b)                                                    \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 "            \
               "{%0,%1,%2,%3},{%4,%4,%4,%4,%4,%4,%4,%4},{%5,%5,%5,%5},"        \
               "{%0,%1,%2,%3};"                                                \
               : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])                \
               : "d"(a), "d"(b))
#else
#define MMA_DOUBLE(d, a, b) ((void)(a), (void)(b))
#endif
constexpr int MmaDepth = 16, MmaOperations = 16 * 8 * 16, MmaChains = 4;

__global__ void matrixDouble(double *out, double one) {
  double d[MmaChains][4] = {};
  for (int i = 0; i < Iterations; i++)
#pragma unroll
    for (int c = 0; c < MmaChains; c++)
      MMA_DOUBLE(d[c], one, one);
  double sum = 0;
  for (int c = 0; c < MmaChains; c++)
    sum += d[c][0] + d[c][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum / (2 * MmaChains);
}

// Half on the tensor cores, sums in float.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define MMA_HALF(d, a, b)                                                      \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "            \
               "{%0,%1,%2,%3},{%4,%4,%4,%4},{%5,%5},{%0,%1,%2,%3};"            \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                \
               : "r"(a), "r"(b))
#else
#define MMA_HALF(d, a, b) ((void)(a), (void)(b))
#endif

__global__ void matrixHalf(double *out, unsigned ones) {
  float d[MmaChains][4] = {};
  for (int i = 0; i < Iterations; i++)
#pragma unroll
    for (int c = 0; c < MmaChains; c++)
      MMA_HALF(d[c], ones, ones);
  float sum = 0;
  for (int c = 0; c < MmaChains; c++)
    sum += d[c][0] + d[c][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum / (2 * MmaChains);
}

// --- Timing ------------------------------------------------------------------

struct Gpu {
  int blocks;
  cudaEvent_t start, stop;
  void *memory; // Threads * blocks elements of up to 16 bytes

  // Shortest of several runs in seconds, after one that warms up.
  double best(const std::function<void()> &work) {
    float shortest = INFINITY;
    for (int run = 0; run <= Runs; run++) {
      float ms;
      CUDA_CHECK(cudaEventRecord(start));
      work();
      CUDA_CHECK(cudaGetLastError());
      CUDA_CHECK(cudaEventRecord(stop));
      CUDA_CHECK(cudaEventSynchronize(stop));
      CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
      if (run > 0)
        shortest = std::min(shortest, ms);
    }
    return shortest * 1e-3;
  }

  // First and last element of what the kernels left in memory.
  template <typename T> bool holds(T want, double tolerance = 0) {
    size_t last = (size_t)blocks * Threads - 1;
    for (size_t at : {(size_t)0, last / 2, last}) {
      T got;
      CUDA_CHECK(cudaMemcpy(&got, (T *)memory + at, sizeof(T),
                            cudaMemcpyDeviceToHost));
      if (!(fabs((double)got - (double)want) <= tolerance))
        return false;
    }
    return true;
  }
};

static std::string figures; // "\"name\": value, ..."

static void report(const char *name, double perSecond, bool right) {
  if (!right) {
    fprintf(stderr, "peaks: %s: wrong result, left out\n", name);
    return;
  }
  char line[96];
  snprintf(line, sizeof line, "%s\n  \"%s\": %.1f", figures.empty() ? "" : ",",
           name, perSecond * 1e-9);
  figures += line;
}

static void instructions(Gpu &gpu) {
  double lanes = (double)gpu.blocks * Threads, steps = lanes * Iterations;
  double all = steps * Chains;
  int blocks = gpu.blocks;
  double t = gpu.best([&] {
    fusedChains<<<blocks, Threads>>>((float *)gpu.memory, 0.25f, -1.f, 1.f, 1.f,
                                     0);
  });
  report("fp32", all / t, gpu.holds(0.75f * Chains));
  t = gpu.best([&] {
    fusedChains<<<blocks, Threads>>>((double *)gpu.memory, 0.25, -1.0, 1.0, 1.0,
                                     0);
  });
  report("fp64", all / t, gpu.holds(0.75 * Chains));
  half2 quarter = __float2half2_rn(0.25f), one = __float2half2_rn(1.f);
  t = gpu.best([&] {
    fusedChains<<<blocks, Threads>>>((half2 *)gpu.memory, quarter,
                                     __float2half2_rn(-1.f), one, one, 0);
  });
  unsigned bits = 0x46004600u; // 0.75 * Chains twice
  report("half", 2 * all / t, gpu.holds(bits));
  unsigned x = 7, y = 1;
  for (int i = 0; i < Iterations; i++)
    x = x * 1664525u + 5u;
  t = gpu.best([&] {
    fusedChains<<<blocks, Threads>>>((unsigned *)gpu.memory, 7u, 1664525u, 5u,
                                     1u, 0);
  });
  report("int_mul", all / t, gpu.holds(x * Chains));
  x = 7;
  for (int i = 0; i < Iterations; i++)
    x += y, y += x;
  t = gpu.best([&] {
    addChains<<<blocks, Threads>>>((unsigned *)gpu.memory, 7u, 1u, 0);
  });
  report("int_add", 2 * all / t, gpu.holds(x * Chains));
  t = gpu.best(
      [&] { exponentials<<<blocks, Threads>>>((float *)gpu.memory, 0.5f); });
  report("transcendental", all / t, gpu.holds(0.64118574f, 1e-4));
  t = gpu.best(
      [&] { sharedAtomics<<<blocks, Threads>>>((unsigned *)gpu.memory, 3u); });
  report("shared_atomic", steps / t, gpu.holds(3u * Iterations));
}

static void bandwidth(Gpu &gpu, size_t megabytes, size_t freeBytes) {
  size_t bytes = megabytes << 20, count = bytes / sizeof(uint4);
  if (bytes > freeBytes / 4)
    return;
  // About 4 GB are moved in each run, so that starting is nothing.
  int passes = std::max<size_t>(2, (size_t(1) << 32) / bytes);
  uint4 *data;
  unsigned *sums = (unsigned *)gpu.memory, got = 0, want = 0;
  CUDA_CHECK(cudaMalloc(&data, bytes));
  fill<<<gpu.blocks, Threads>>>(data, count);
  double t = gpu.best([&] {
    cudaMemsetAsync(sums, 0, sizeof(*sums));
    readPasses<<<gpu.blocks, Threads>>>(data, sums, count, passes);
  });
  CUDA_CHECK(cudaMemcpy(&got, sums, sizeof(got), cudaMemcpyDeviceToHost));
  want = unsigned(count * (count - 1) / 2 + count) * (unsigned)passes;
  std::string name = "read_" + std::to_string(megabytes) + "MB";
  report(name.c_str(), (double)bytes * passes / t, got == want);

  // The working set of a copy is both halves.
  t = gpu.best([&] {
    copyPasses<<<gpu.blocks, Threads>>>(data, data + count / 2, count / 2,
                                        passes);
  });
  uint4 last;
  CUDA_CHECK(cudaMemcpy(&last, data + 2 * (count / 2) - 1, sizeof(last),
                        cudaMemcpyDeviceToHost));
  name = "copy_" + std::to_string(megabytes) + "MB";
  report(name.c_str(), (double)bytes * passes / t,
         last.x == unsigned(count / 2 - 1) && last.z == 1);
  CUDA_CHECK(cudaFree(data));
}

int main() {
  cudaDeviceProp device;
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  Gpu gpu;
  gpu.blocks = device.multiProcessorCount * BlocksPerSm;
  CUDA_CHECK(cudaEventCreate(&gpu.start));
  CUDA_CHECK(cudaEventCreate(&gpu.stop));
  CUDA_CHECK(cudaMalloc(&gpu.memory, (size_t)gpu.blocks * Threads * 16));
  instructions(gpu);
  if (device.major >= 9) {
    double t = gpu.best([&] {
      matrixDouble<<<gpu.blocks, Threads>>>((double *)gpu.memory, 1.0);
    });
    double products = gpu.blocks * (Threads / 32.0) * Iterations * MmaChains;
    report("fp64_matrix", products * MmaOperations / t,
           gpu.holds((double)Iterations * MmaDepth));
  }
  if (device.major >= 8) {
    constexpr unsigned Ones = 0x3c003c00; // two halves
    double t = gpu.best([&] {
      matrixHalf<<<gpu.blocks, Threads>>>((double *)gpu.memory, Ones);
    });
    double products = gpu.blocks * (Threads / 32.0) * Iterations * MmaChains;
    report("half_matrix", products * MmaOperations / t,
           gpu.holds((double)Iterations * MmaDepth));
  }
  size_t freeBytes, totalBytes;
  CUDA_CHECK(cudaMemGetInfo(&freeBytes, &totalBytes));
  for (size_t megabytes : {4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 1024})
    bandwidth(gpu, megabytes, freeBytes);
  printf("{\n  \"device\": \"%s\",\n  \"sms\": %d,\n  \"l2_bytes\": %d,%s\n}\n",
         device.name, device.multiProcessorCount, device.l2CacheSize,
         figures.c_str());
  return 0;
}
