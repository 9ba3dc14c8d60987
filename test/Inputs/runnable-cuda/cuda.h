// The part of CUDA that small programs need to run in the emulator, without a
// toolkit: such a program parses in about 10 ms a side. Device functions are
// Clang's builtins, host functions are those of libcudal1_emulator.a.
//
// Flags: -nocudainc -nocudalib -isystem test/Inputs/runnable-cuda
//        -include cuda.h
#ifndef CUDAL1_TEST_RUNNABLE_CUDA_H
#define CUDAL1_TEST_RUNNABLE_CUDA_H
#define __CUDACC__ 1
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#include <stddef.h>

struct uint3 { unsigned x, y, z; };
struct __align__(8) float2 { float x, y; };
struct __align__(16) float4 { float x, y, z, w; };
struct __align__(8) int2 { int x, y; };
struct __align__(16) int4 { int x, y, z, w; };
struct __align__(16) double2 { double x, y; };
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

enum cudaError_t { cudaSuccess = 0 };
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice
};
typedef struct CUstream_st *cudaStream_t;
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
cudaError_t cudaFree(void *);
cudaError_t cudaMallocHost(void **, size_t);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaHostRegister(void *, size_t, unsigned);
cudaError_t cudaHostUnregister(void *);
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t,
                               cudaMemcpyKind);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind,
                            cudaStream_t);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);
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
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetLastError();
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                             cudaStream_t);
// What Clang calls for <<<>>>, and what it calls when it knows of no toolkit.
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
int printf(const char *, ...);
void *malloc(size_t) noexcept;
void free(void *) noexcept;
}
template <class T_>
cudaError_t cudaMemcpyToSymbol(const T_ &S_, const void *P_, size_t N_,
                               size_t O_ = 0) {
  return cudaMemcpyToSymbol((const void *)&S_, P_, N_, O_,
                            cudaMemcpyHostToDevice);
}
template <class T_> cudaError_t cudaMalloc(T_ **P_, size_t N_) {
  return cudaMalloc((void **)P_, N_);
}
template <class T_>
cudaError_t cudaMallocAsync(T_ **P_, size_t N_, cudaStream_t S_) {
  return cudaMallocAsync((void **)P_, N_, S_);
}

#include <__clang_cuda_builtin_vars.h>

// A builtin exists on the device side only.
#ifdef __CUDA_ARCH__
#define RUNNABLE_BODY(...) { __VA_ARGS__; }
#else
#define RUNNABLE_BODY(...) ;
#endif
extern "C" __device__ void __syncthreads();
extern "C" double pow(double, double) noexcept;
extern "C" double sqrt(double) noexcept;
extern "C" float sqrtf(float) noexcept;
extern "C" double fabs(double) noexcept;
extern "C" float fabsf(float) noexcept;
extern "C" __device__ double __nv_pow(double, double);
extern "C" __device__ float __nv_powf(float, float);
__device__ inline double pow(double X_, double Y_)
    RUNNABLE_BODY(return __nv_pow(X_, Y_))
__device__ inline float pow(float X_, float Y_)
    RUNNABLE_BODY(return __nv_powf(X_, Y_))
__device__ inline float powf(float X_, float Y_)
    RUNNABLE_BODY(return __nv_powf(X_, Y_))
__device__ inline double sqrt(double X_)
    RUNNABLE_BODY(return __nvvm_sqrt_rn_d(X_))
__device__ inline float sqrtf(float X_)
    RUNNABLE_BODY(return __nvvm_sqrt_rn_f(X_))
__device__ inline double fabs(double X_)
    RUNNABLE_BODY(return __builtin_fabs(X_))
__device__ inline float fabsf(float X_)
    RUNNABLE_BODY(return __builtin_fabsf(X_))
__device__ inline float __ldg(const float *P_) RUNNABLE_BODY(return *P_)
__device__ inline int atomicAdd(int *P_, int V_)
    RUNNABLE_BODY(return __nvvm_atom_add_gen_i(P_, V_))
__device__ inline float atomicAdd(float *P_, float V_)
    RUNNABLE_BODY(return __nvvm_atom_add_gen_f(P_, V_))
__device__ inline unsigned atomicAdd(unsigned *P_, unsigned V_)
    RUNNABLE_BODY(return unsigned(__nvvm_atom_add_gen_i((int *)P_, int(V_))))
__device__ inline unsigned long long atomicAdd(unsigned long long *P_,
                                               unsigned long long V_)
    RUNNABLE_BODY(return (unsigned long long)__nvvm_atom_add_gen_ll(
        (long long *)P_, (long long)V_))
__device__ inline unsigned atomicSub(unsigned *P_, unsigned V_)
    RUNNABLE_BODY(return atomicAdd(P_, 0u - V_))
__device__ inline int atomicMin(int *P_, int V_)
    RUNNABLE_BODY(return __nvvm_atom_min_gen_i(P_, V_))
__device__ inline int atomicMax(int *P_, int V_)
    RUNNABLE_BODY(return __nvvm_atom_max_gen_i(P_, V_))
__device__ inline unsigned atomicAnd(unsigned *P_, unsigned V_)
    RUNNABLE_BODY(return unsigned(__nvvm_atom_and_gen_i((int *)P_, int(V_))))
__device__ inline unsigned atomicOr(unsigned *P_, unsigned V_)
    RUNNABLE_BODY(return unsigned(__nvvm_atom_or_gen_i((int *)P_, int(V_))))
__device__ inline unsigned atomicXor(unsigned *P_, unsigned V_)
    RUNNABLE_BODY(return unsigned(__nvvm_atom_xor_gen_i((int *)P_, int(V_))))
__device__ inline void __syncwarp(unsigned M_ = 0xffffffff)
    RUNNABLE_BODY(__nvvm_bar_warp_sync(M_);)
__device__ inline float __shfl_down_sync(unsigned M_, float V_, unsigned D_)
    RUNNABLE_BODY(return __nvvm_shfl_sync_down_f32(M_, V_, D_, 31))
__device__ inline int __shfl_xor_sync(unsigned M_, int V_, int L_)
    RUNNABLE_BODY(return __nvvm_shfl_sync_bfly_i32(M_, V_, L_, 31))
__device__ inline unsigned __shfl_xor_sync(unsigned M_, unsigned V_, int L_)
    RUNNABLE_BODY(return unsigned(__shfl_xor_sync(M_, int(V_), L_)))
__device__ inline long long __shfl_xor_sync(unsigned M_, long long V_, int L_)
    RUNNABLE_BODY(unsigned H_ = __shfl_xor_sync(M_, unsigned(V_ >> 32), L_);
                  unsigned W_ = __shfl_xor_sync(M_, unsigned(V_), L_);
                  return (long long)((unsigned long long)H_ << 32 | W_))
__device__ inline unsigned long long
__shfl_xor_sync(unsigned M_, unsigned long long V_, int L_)
    RUNNABLE_BODY(
        return (unsigned long long)__shfl_xor_sync(M_, (long long)V_, L_))
__device__ inline float __shfl_xor_sync(unsigned M_, float V_, int L_)
    RUNNABLE_BODY(return __nvvm_shfl_sync_bfly_f32(M_, V_, L_, 31))
__device__ inline double __shfl_xor_sync(unsigned M_, double V_, int L_)
    RUNNABLE_BODY(return __builtin_bit_cast(
        double,
        __shfl_xor_sync(M_, __builtin_bit_cast(long long, V_), L_)))
extern "C" float fmaxf(float, float) noexcept;
extern "C" float fminf(float, float) noexcept;
__device__ inline float fmaxf(float X_, float Y_)
    RUNNABLE_BODY(return __nvvm_fmax_f(X_, Y_))
__device__ inline float fminf(float X_, float Y_)
    RUNNABLE_BODY(return __nvvm_fmin_f(X_, Y_))
__device__ inline float max(float X_, float Y_)
    RUNNABLE_BODY(return __nvvm_fmax_f(X_, Y_))
__device__ inline float min(float X_, float Y_)
    RUNNABLE_BODY(return __nvvm_fmin_f(X_, Y_))
#undef RUNNABLE_BODY
static __inline__ __host__ __device__ int min(int A_, int B_) {
  return B_ < A_ ? B_ : A_;
}
static __inline__ __host__ __device__ int max(int A_, int B_) {
  return A_ < B_ ? B_ : A_;
}
static __inline__ __host__ __device__ long long min(long long A_,
                                                    long long B_) {
  return B_ < A_ ? B_ : A_;
}
static __inline__ __host__ __device__ long long max(long long A_,
                                                    long long B_) {
  return A_ < B_ ? B_ : A_;
}
#endif // CUDAL1_TEST_RUNNABLE_CUDA_H
