// A tiny stand-in for the CUDA headers: declarations only, so that a test
// parses in about 10 ms a side, with no toolkit. It keeps what the AST of real
// CUDA code looks like: `__global__` expands to an attribute in this header,
// threadIdx and its kin are Clang's own property objects, launches need a
// configuration function, maths has host and device forms.
//
// Use it with exactly these flags (%S is the folder of the test, one below
// test/):
//   cuda-l1-opt %s -- -nocudainc -nocudalib -isystem %S/../Inputs/fake-cuda
//   -include cuda.h
// or by hand, one side (--cuda-device-only or --cuda-host-only) at a time:
//   clang++ -x cuda -std=c++17 --cuda-gpu-arch=sm_90 --cuda-device-only
//   -fsyntax-only -nocudainc -nocudalib \
//     -isystem test/Inputs/fake-cuda -include cuda.h FILE
// Names end in _ so that a test may use -DN=4. `#include <cuda_runtime.h>` and
// `<math.h>` work too; <stdio.h> and <stdlib.h> are the system's (10 ms more).
#ifndef CUDAL1_TEST_FAKE_CUDA_H
#define CUDAL1_TEST_FAKE_CUDA_H
#ifdef __CUDA__
#define __CUDACC__ 1
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __host__
#define __device__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#include <stddef.h>

// Vector types, with the alignment that CUDA gives them.
#define FAKE_VECTOR(T_, N_, A2_, A4_)                                          \
  struct N_##1 { T_ x; };                                                      \
  struct __align__(A2_) N_##2 { T_ x, y; };                                    \
  struct N_##3 { T_ x, y, z; };                                                \
  struct __align__(A4_) N_##4 { T_ x, y, z, w; };                              \
  static __inline__ __host__ __device__ N_##2 make_##N_##2(T_ x, T_ y) {       \
    return {x, y};                                                             \
  }                                                                            \
  static __inline__ __host__ __device__ N_##3 make_##N_##3(T_ x, T_ y, T_ z) { \
    return {x, y, z};                                                          \
  }                                                                            \
  static __inline__ __host__ __device__ N_##4 make_##N_##4(T_ x, T_ y, T_ z,   \
                                                           T_ w) {             \
    return {x, y, z, w};                                                       \
  }
FAKE_VECTOR(signed char, char, 2, 4)
FAKE_VECTOR(unsigned char, uchar, 2, 4)
FAKE_VECTOR(short, short, 4, 8)
FAKE_VECTOR(int, int, 8, 16)
FAKE_VECTOR(unsigned, uint, 8, 16)
FAKE_VECTOR(long long, longlong, 16, 16)
FAKE_VECTOR(float, float, 8, 16)
FAKE_VECTOR(double, double, 16, 16)
#undef FAKE_VECTOR
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned X_ = 1, unsigned Y_ = 1,
                                     unsigned Z_ = 1)
      : x(X_), y(Y_), z(Z_) {}
  __host__ __device__ constexpr dim3(uint3 V_) : x(V_.x), y(V_.y), z(V_.z) {}
  __host__ __device__ constexpr operator uint3() const {
    return uint3{x, y, z};
  }
};

// The runtime interface of the host.
enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2
};
typedef cudaError cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int major, minor, multiProcessorCount, maxThreadsPerBlock, warpSize;
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
#define cudaHostRegisterDefault 0x00
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal,
  cudaStreamCaptureModeThreadLocal
};
extern "C" {
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaMallocHost(void **, size_t);
cudaError_t cudaMallocManaged(void **, size_t, unsigned = 1);
cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t);
cudaError_t cudaHostAlloc(void **, size_t, unsigned);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaHostRegister(void *, size_t, unsigned);
cudaError_t cudaHostUnregister(void *);
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind,
                            cudaStream_t = 0);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorString(cudaError_t);
const char *cudaGetErrorName(cudaError_t);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t,
                                 unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t = 0,
                             cudaStream_t = 0);
// What Clang calls for <<<>>>: the first for toolkits since 9.2, the second
// when it knows of no toolkit.
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
int printf(const char *, ...);
void *malloc(size_t) noexcept;
void free(void *) noexcept;
}
template <class T_> cudaError_t cudaMalloc(T_ **P_, size_t N_) {
  return cudaMalloc((void **)P_, N_);
}
template <class T_> cudaError_t cudaMallocHost(T_ **P_, size_t N_) {
  return cudaMallocHost((void **)P_, N_);
}
template <class T_> cudaError_t cudaMallocManaged(T_ **P_, size_t N_) {
  return cudaMallocManaged((void **)P_, N_);
}
template <class T_>
cudaError_t cudaLaunchKernel(T_ *F_, dim3 G_, dim3 B_, void **A_, size_t S_ = 0,
                             cudaStream_t Q_ = 0) {
  return cudaLaunchKernel((const void *)F_, G_, B_, A_, S_, Q_);
}
template <class T_>
cudaError_t cudaFuncSetAttribute(T_ *, cudaFuncAttribute, int);
template <class T_> cudaError_t cudaFuncSetCacheConfig(T_ *, cudaFuncCache);
template <class T_>
cudaError_t cudaMemcpyToSymbol(const T_ &, const void *, size_t, size_t = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice);
template <class T_>
cudaError_t cudaMemcpyFromSymbol(void *, const T_ &, size_t, size_t = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost);
template <class T_>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *, int *, T_, size_t = 0,
                                               int = 0);

// Maths: each function has a host form (C's) and a device form, and an overload
// for float, as with Clang's CUDA headers.
#ifdef __CUDA__
#define FAKE_MATHS(NAME_, ...)                                                 \
  extern "C" double NAME_(__VA_ARGS__) noexcept;                               \
  __device__ double NAME_(__VA_ARGS__);
#define FAKE_MATHSF(NAME_, ...)                                                \
  extern "C" float NAME_##f(__VA_ARGS__) noexcept;                             \
  __device__ float NAME_##f(__VA_ARGS__);                                      \
  float NAME_(__VA_ARGS__);                                                    \
  __device__ float NAME_(__VA_ARGS__);
#define FAKE_MATHS1(NAME_) FAKE_MATHS(NAME_, double) FAKE_MATHSF(NAME_, float)
#define FAKE_MATHS2(NAME_)                                                     \
  FAKE_MATHS(NAME_, double, double) FAKE_MATHSF(NAME_, float, float)
FAKE_MATHS1(exp)
FAKE_MATHS1(exp2)
FAKE_MATHS1(log)
FAKE_MATHS1(log2) FAKE_MATHS1(log10) FAKE_MATHS1(sqrt) FAKE_MATHS1(sin)
    FAKE_MATHS1(cos) FAKE_MATHS1(tan) FAKE_MATHS1(tanh) FAKE_MATHS1(fabs)
        FAKE_MATHS1(floor) FAKE_MATHS1(ceil) FAKE_MATHS1(round)
            FAKE_MATHS1(cbrt) FAKE_MATHS1(erf) FAKE_MATHS2(pow)
                FAKE_MATHS2(fmax) FAKE_MATHS2(fmin) FAKE_MATHS2(fmod)
                    FAKE_MATHS2(atan2) FAKE_MATHS2(hypot)
                        FAKE_MATHS(fma, double, double, double)
                            FAKE_MATHSF(fma, float, float, float)
#undef FAKE_MATHS
#undef FAKE_MATHSF
#undef FAKE_MATHS1
#undef FAKE_MATHS2
#include <__clang_cuda_builtin_vars.h>

    // The device's own functions.
    __device__ int printf(const char *, ...);
__device__ float pow(float, int);
__device__ double pow(double, int);
template <class T_, class U_>
__device__ double pow(T_, U_); // Mixed types, as in <cmath>.
__device__ int abs(int);
__device__ float rsqrtf(float);
__device__ float rsqrt(float);
__device__ double rsqrt(double);
__device__ float __expf(float);
__device__ float __exp10f(float);
__device__ float __logf(float);
__device__ float __log2f(float);
__device__ float __log10f(float);
__device__ float __sinf(float);
__device__ float __cosf(float);
__device__ float __tanf(float);
__device__ void __sincosf(float, float *, float *);
__device__ float __powf(float, float);
__device__ float __fdividef(float, float);
__device__ float __saturatef(float);
__device__ float __fmaf_rn(float, float, float);
__device__ float __frcp_rn(float);
__device__ float __fsqrt_rn(float);
__device__ float __frsqrt_rn(float);
__device__ int __mul24(int, int);
__device__ unsigned __umulhi(unsigned, unsigned);
__device__ int __popc(unsigned);
__device__ int __clz(int);
__device__ int __ffs(int);
__device__ unsigned __brev(unsigned);
__device__ int __float_as_int(float);
__device__ float __int_as_float(int);
__device__ long long clock64();
__device__ void __syncthreads();
__device__ int __syncthreads_or(int);
__device__ int __syncthreads_and(int);
__device__ int __syncthreads_count(int);
__device__ void __syncwarp(unsigned = 0xffffffff);
__device__ void __threadfence();
__device__ void __threadfence_block();
__device__ unsigned __activemask();
__device__ unsigned __ballot_sync(unsigned, int);
__device__ int __any_sync(unsigned, int);
__device__ int __all_sync(unsigned, int);
#define FAKE_TYPED(T_)                                                         \
  static __inline__ __host__ __device__ T_ min(T_ A_, T_ B_) {                 \
    return B_ < A_ ? B_ : A_;                                                  \
  }                                                                            \
  static __inline__ __host__ __device__ T_ max(T_ A_, T_ B_) {                 \
    return A_ < B_ ? B_ : A_;                                                  \
  }                                                                            \
  __device__ T_ __ldg(const T_ *);                                             \
  __device__ T_ __ldcs(const T_ *);                                            \
  __device__ void __stcs(T_ *, T_);                                            \
  __device__ T_ __shfl_sync(unsigned, T_, int, int = 32);                      \
  __device__ T_ __shfl_up_sync(unsigned, T_, unsigned, int = 32);              \
  __device__ T_ __shfl_down_sync(unsigned, T_, unsigned, int = 32);            \
  __device__ T_ __shfl_xor_sync(unsigned, T_, int, int = 32);                  \
  __device__ T_ atomicAdd(T_ *, T_);                                           \
  __device__ T_ atomicExch(T_ *, T_);
#define FAKE_ATOMIC(T_)                                                        \
  FAKE_TYPED(T_)                                                               \
  __device__ T_ atomicSub(T_ *, T_);                                           \
  __device__ T_ atomicMin(T_ *, T_);                                           \
  __device__ T_ atomicMax(T_ *, T_);                                           \
  __device__ T_ atomicAnd(T_ *, T_);                                           \
  __device__ T_ atomicOr(T_ *, T_);                                            \
  __device__ T_ atomicXor(T_ *, T_);                                           \
  __device__ T_ atomicCAS(T_ *, T_, T_);
FAKE_TYPED(float)
FAKE_TYPED(double)
FAKE_TYPED(long long)
FAKE_ATOMIC(int)
FAKE_ATOMIC(unsigned)
FAKE_ATOMIC(unsigned long long)
#undef FAKE_TYPED
#undef FAKE_ATOMIC
__device__ unsigned atomicInc(unsigned *, unsigned);
__device__ float2 __ldg(const float2 *);
__device__ float4 __ldg(const float4 *);
#endif // __CUDA__
#endif // CUDAL1_TEST_FAKE_CUDA_H
