//===- cudal1_nvcc_compat.h - What nvcc knows and Clang does not ----------===//
//
// nvcc and Clang do not accept quite the same CUDA. This header is included by
// force, ahead of the program, when the front end parses a unit. It declares
// what nvcc has built in, so that a program written for nvcc parses.
//
// Rules of this file:
//  * It is for the parse only. It is never written into a program, and the
//    program's own compiler never sees it.
//  * It changes no meaning. Every name here resolves as nvcc resolves it, and a
//    program that declares the same name itself gets its own: functions are
//    templates, over which a program's plain function is always preferred.
//  * Definitions do what nvcc's do, short of caching hints and timing, so that
//    device code made from this parse may be executed.
//  * It costs a few milliseconds a parse.
//
// Facts were established against Clang 22 and CUDA 13.0. Each part says what
// nvcc has, and what Clang lacks.
//
//===----------------------------------------------------------------------===//

// Without Clang's CUDA wrapper (a fake cuda.h in a test, or plain C++) there is
// nothing to complete.
#if defined(__clang__) && defined(__CUDA__) &&                                 \
    defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__) &&                               \
    !defined(CUDAL1_NVCC_COMPAT_H)
#define CUDAL1_NVCC_COMPAT_H

// This file is no place for warnings about the user's code.
#pragma clang system_header

// The default template argument is never deduced nor used: it turns a function
// into a template, so that a program's own function of the same signature is
// neither a redefinition nor ambiguous, and is preferred.
#pragma push_macro("CUDAL1_TEMPLATE")
#pragma push_macro("CUDAL1_HOST")
#pragma push_macro("CUDAL1_DEVICE")
#pragma push_macro("min")
#pragma push_macro("max")
#pragma push_macro("isnan")
#pragma push_macro("isinf")
#pragma push_macro("isfinite")
#pragma push_macro("signbit")
#undef min
#undef max
#undef isnan
#undef isinf
#undef isfinite
#undef signbit
#define CUDAL1_TEMPLATE template <class CUDAL1Unused = void>
#define CUDAL1_HOST CUDAL1_TEMPLATE inline __attribute__((host, always_inline))
#define CUDAL1_DEVICE inline __attribute__((device, always_inline))

//===----------------------------------------------------------------------===//
// min and max in host code
//
// nvcc: crt/math_functions.h declares ::min and ::max for the host as well, for
// these pairs of types. Clang: for the device only.
//===----------------------------------------------------------------------===//

#pragma push_macro("CUDAL1_MIN_MAX")
#define CUDAL1_MIN_MAX(Result, A, B)                                           \
  CUDAL1_HOST Result min(const A a, const B b) {                               \
    return (Result)a < (Result)b ? (Result)a : (Result)b;                      \
  }                                                                            \
  CUDAL1_HOST Result max(const A a, const B b) {                               \
    return (Result)a > (Result)b ? (Result)a : (Result)b;                      \
  }
CUDAL1_MIN_MAX(int, int, int)
CUDAL1_MIN_MAX(unsigned, unsigned, unsigned)
CUDAL1_MIN_MAX(unsigned, int, unsigned)
CUDAL1_MIN_MAX(unsigned, unsigned, int)
CUDAL1_MIN_MAX(long, long, long)
CUDAL1_MIN_MAX(unsigned long, unsigned long, unsigned long)
CUDAL1_MIN_MAX(unsigned long, long, unsigned long)
CUDAL1_MIN_MAX(unsigned long, unsigned long, long)
CUDAL1_MIN_MAX(long long, long long, long long)
CUDAL1_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CUDAL1_MIN_MAX(unsigned long long, long long, unsigned long long)
CUDAL1_MIN_MAX(unsigned long long, unsigned long long, long long)
CUDAL1_MIN_MAX(float, float, float)
CUDAL1_MIN_MAX(double, double, double)
CUDAL1_MIN_MAX(double, float, double)
CUDAL1_MIN_MAX(double, double, float)
#pragma pop_macro("CUDAL1_MIN_MAX")

//===----------------------------------------------------------------------===//
// Floating-point classification in host code
//
// nvcc: ::isnan and friends exist on the host once cuda_runtime.h is in.
// Clang: only std::isnan, unless the program includes math.h.
//===----------------------------------------------------------------------===//

#pragma push_macro("CUDAL1_CLASSIFY")
#define CUDAL1_CLASSIFY(Name, Builtin)                                         \
  CUDAL1_HOST constexpr bool Name(float x) { return Builtin; }                 \
  CUDAL1_HOST constexpr bool Name(double x) { return Builtin; }                \
  CUDAL1_HOST constexpr bool Name(long double x) { return Builtin; }
CUDAL1_CLASSIFY(isnan, __builtin_isnan(x))
CUDAL1_CLASSIFY(isinf, __builtin_isinf(x))
CUDAL1_CLASSIFY(isfinite, __builtin_isfinite(x))
CUDAL1_CLASSIFY(signbit, __builtin_signbit(x) != 0)
#pragma pop_macro("CUDAL1_CLASSIFY")

//===----------------------------------------------------------------------===//
// Loads and stores with a caching hint
//
// nvcc: sm_32_intrinsics.h has __ldca, __ldlu, __stwb, __stcg and __stcs for
// all built-in scalar and vector types. Clang replaces that header by its own,
// which has __ldcg, __ldcs, __ldcv and __stwt alone. The value's type follows
// the pointer's, so that arguments convert as they do with nvcc's overloads.
//===----------------------------------------------------------------------===//

namespace cudal1_compat {
template <class T> struct SameAs {
  using Type = T;
};
} // namespace cudal1_compat

#pragma push_macro("CUDAL1_LOAD")
#pragma push_macro("CUDAL1_STORE")
#define CUDAL1_LOAD(Name)                                                      \
  template <class T> CUDAL1_DEVICE T Name(const T *address) { return *address; }
#define CUDAL1_STORE(Name)                                                     \
  template <class T>                                                           \
  CUDAL1_DEVICE void Name(T *address,                                          \
                          typename cudal1_compat::SameAs<T>::Type value) {     \
    *address = value;                                                          \
  }
CUDAL1_LOAD(__ldca)
CUDAL1_LOAD(__ldlu)
CUDAL1_STORE(__stwb)
CUDAL1_STORE(__stcg)
CUDAL1_STORE(__stcs)
#pragma pop_macro("CUDAL1_LOAD")
#pragma pop_macro("CUDAL1_STORE")

//===----------------------------------------------------------------------===//
// Atomics with a memory order and a thread scope
//
// nvcc (12.8 and later): the __nv_atomic_* functions are built into the
// compiler; the names of orders and scopes come from crt/device_functions.h,
// which Clang does not include. Values are nvcc's. The scope is taken as the
// whole system, the strongest, since Clang wants its own constants.
//===----------------------------------------------------------------------===//

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

#pragma push_macro("CUDAL1_VALUE")
#pragma push_macro("CUDAL1_ATOMIC")
#define CUDAL1_VALUE typename cudal1_compat::SameAs<T>::Type
template <class T>
CUDAL1_DEVICE void __nv_atomic_load(const T *address, T *result, int order,
                                    int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_load(address, result, order);
}
template <class T>
CUDAL1_DEVICE T __nv_atomic_load_n(const T *address, int order,
                                   int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_load_n(address, order);
}
template <class T>
CUDAL1_DEVICE void __nv_atomic_store(T *address, T *value, int order,
                                     int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_store(address, value, order);
}
template <class T>
CUDAL1_DEVICE void __nv_atomic_store_n(T *address, CUDAL1_VALUE value,
                                       int order,
                                       int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_store_n(address, value, order);
}
template <class T>
CUDAL1_DEVICE void __nv_atomic_exchange(T *address, T *value, T *result,
                                        int order,
                                        int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_exchange(address, value, result, order);
}
template <class T>
CUDAL1_DEVICE T __nv_atomic_exchange_n(T *address, CUDAL1_VALUE value,
                                       int order,
                                       int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_exchange_n(address, value, order);
}
template <class T>
CUDAL1_DEVICE bool
__nv_atomic_compare_exchange(T *address, T *expected, T *desired, bool weak,
                             int success, int failure,
                             int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_compare_exchange(address, expected, desired, weak, success,
                                   failure);
}
template <class T>
CUDAL1_DEVICE bool
__nv_atomic_compare_exchange_n(T *address, T *expected, CUDAL1_VALUE desired,
                               bool weak, int success, int failure,
                               int = __NV_THREAD_SCOPE_SYSTEM) {
  return __atomic_compare_exchange_n(address, expected, desired, weak, success,
                                     failure);
}
CUDAL1_TEMPLATE CUDAL1_DEVICE void
__nv_atomic_thread_fence(int order, int = __NV_THREAD_SCOPE_SYSTEM) {
  __atomic_thread_fence(order);
}
#define CUDAL1_ATOMIC(Operation)                                               \
  template <class T>                                                           \
  CUDAL1_DEVICE T __nv_atomic_fetch_##Operation(                               \
      T *address, CUDAL1_VALUE value, int order,                               \
      int = __NV_THREAD_SCOPE_SYSTEM) {                                        \
    return __atomic_fetch_##Operation(address, value, order);                  \
  }                                                                            \
  template <class T>                                                           \
  CUDAL1_DEVICE void __nv_atomic_##Operation(T *address, CUDAL1_VALUE value,   \
                                             int order,                        \
                                             int = __NV_THREAD_SCOPE_SYSTEM) { \
    (void)__atomic_fetch_##Operation(address, value, order);                   \
  }
CUDAL1_ATOMIC(add)
CUDAL1_ATOMIC(sub)
CUDAL1_ATOMIC(and)
CUDAL1_ATOMIC(or)
CUDAL1_ATOMIC(xor)
CUDAL1_ATOMIC(min)
CUDAL1_ATOMIC(max)
#pragma pop_macro("CUDAL1_ATOMIC")
#pragma pop_macro("CUDAL1_VALUE")

//===----------------------------------------------------------------------===//
// Thread-block clusters in cooperative groups
//
// nvcc: cooperative_groups::this_cluster() exists. Clang has the intrinsics
// that it is made of, but cooperative_groups.h asks for this macro unless the
// compiler is nvcc.
//===----------------------------------------------------------------------===//

#ifndef _CG_CLUSTER_INTRINSICS_AVAILABLE
#define _CG_CLUSTER_INTRINSICS_AVAILABLE
#endif

//===----------------------------------------------------------------------===//
// nvcc's own macros
//
// nvcc: defines these. Programs write `#ifdef __NVCC__` around __host__ and
// __device__, around includes and whole kernels, and compare the version; Clang
// would read the branches that nvcc leaves out, and the reverse. CUDA's own
// headers ask for the macros as well, and must go on seeing Clang: the two
// small ones that decide it for all others are read first. Without them the
// toolkit is too old to be sure, and the macros stay undefined.
//===----------------------------------------------------------------------===//

#if !defined(__NVCC__) && __has_include(<nv/target>) &&                        \
    __has_include(<cuda/std/__cccl/compiler.h>)
#include <cuda/std/__cccl/compiler.h>
#include <nv/target>
#define __NVCC__ 1
#endif
#undef __CUDACC__ // Clang's has no value, and `#if __CUDACC__` wants one.
#define __CUDACC__ 1
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDA_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDA_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif
#if defined(__CLANG_RDC__) && !defined(__CUDACC_RDC__)
#define __CUDACC_RDC__
#endif

#pragma pop_macro("signbit")
#pragma pop_macro("isfinite")
#pragma pop_macro("isinf")
#pragma pop_macro("isnan")
#pragma pop_macro("max")
#pragma pop_macro("min")
#pragma pop_macro("CUDAL1_DEVICE")
#pragma pop_macro("CUDAL1_HOST")
#pragma pop_macro("CUDAL1_TEMPLATE")

#endif
