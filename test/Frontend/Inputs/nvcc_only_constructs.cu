// Constructs that nvcc takes and Clang takes only with cudal1_nvcc_compat.h,
// the folder fallback/, and the front end's flags. It builds with nvcc, and
// parses with Clang and the header on both sides:
//   clang++-22 -x cuda --cuda-gpu-arch=sm_90 --cuda-{host,device}-only
//     -fsyntax-only -std=c++17 -Wno-unknown-cuda-version -Wno-register
//     -isystem $CUDA/include/cccl -include cudal1_nvcc_compat.h
//     -idirafter fallback nvcc_only_constructs.cu

#include <algorithm>
#include <cmath>
#include <cooperative_groups.h>
#include <cstdio>
#include <omp.h>

// The compiler's own macros decide what a program is made of.
#if __CUDACC__ && defined(__NVCC__)
#define BOTH_SIDES __host__ __device__
#else
#define BOTH_SIDES
#endif
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1100
#error "a version that nvcc never reports here"
#endif

using namespace std;

// A program's own overload of a name that the header declares too.
struct Interval {
  float low, high;
};
static float min(const Interval &interval) { return interval.low; }

// Loads and stores with a caching hint; the value converts to the element type.
__global__ void hints(float *values, float4 *quads, long *longs, int n) {
  register int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __stcs(values + i, 1.0);
  __stcg(quads + i, make_float4(1, 2, 3, 4));
  __stwb(longs + i, 7L);
  values[i] += __ldca(values + i) + __ldlu(values + i) + __ldcs(values + i);
}

// The compiler's atomics, with and without a scope.
__global__ void atomics(int *counter, float *sum, unsigned long long *bits) {
  __nv_atomic_fetch_add(counter, 1, __NV_ATOMIC_RELAXED,
                        __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_add(sum, 1.0f, __NV_ATOMIC_RELAXED,
                        __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_fetch_max(counter, 5, __NV_ATOMIC_RELAXED,
                        __NV_THREAD_SCOPE_SYSTEM);
  __nv_atomic_add(counter, 2, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_or(bits, 4ull, __NV_ATOMIC_ACQ_REL);
  int seen = __nv_atomic_load_n(counter, __NV_ATOMIC_ACQUIRE);
  __nv_atomic_store_n(counter, seen + 1, __NV_ATOMIC_RELEASE);
  __nv_atomic_compare_exchange_n(counter, &seen, 3, false, __NV_ATOMIC_RELAXED,
                                 __NV_ATOMIC_RELAXED);
  __nv_atomic_exchange_n(counter, 9, __NV_ATOMIC_SEQ_CST);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
}

// min and max on either side of a __host__ __device__ function.
BOTH_SIDES inline int clampIndex(int i, int n) {
  return max(0, min(i, n - 1));
}

// A cluster in cooperative groups.
__global__ void __cluster_dims__(2, 1, 1) clusters(unsigned *ranks) {
  auto cluster = cooperative_groups::this_cluster();
  ranks[gridDim.x] = clampIndex(threadIdx.x, 4);
  cluster.sync();
  if (threadIdx.x == 0)
    ranks[blockIdx.x] = cluster.block_rank();
}

int main(int argc, char **) {
  size_t bytes = max(sizeof(float), sizeof(double));
  unsigned mixed = min(argc, 3u);
  double wide = ::max(1.0f, 2.0);
  float narrow = min(1.0f, 2.0f);
  Interval interval{1.0f, 2.0f};
  if (isnan(wide) || isinf(narrow) || !isfinite(narrow) || ::isnan(narrow))
    return 1;
  printf("%zu %u %f %f %d %d\n", bytes, mixed, wide, min(interval),
         clampIndex(argc, 4), omp_get_max_threads());
  return 0;
}
