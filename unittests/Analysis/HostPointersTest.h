//===- HostPointersTest.h - Do the pointers of a launch overlap? -*- C++ -*-==//
//
// A wrong "Disjoint" is a wrong result for the user: most of these tests are
// traps.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_UNITTESTS_ANALYSIS_HOSTPOINTERSTEST_H
#define CUDAL1_UNITTESTS_ANALYSIS_HOSTPOINTERSTEST_H

#include "../ParseCuda.h"
#include "cudal1/Analysis/ProgramAnalysis.h"
#include "gmock/gmock.h"

namespace cudal1::testing {

/// What the library headers would declare, at a place for system headers.
inline constexpr char Library[] = R"(
#pragma GCC system_header
extern "C" {
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t cudaGetSymbolAddress(void **, const void *);
cudaError_t cudaHostGetDevicePointer(void **, void *, unsigned);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
void fill(float *);
void refill(float **);
float *lookup(int);
}
namespace std {
template <class T> void swap(T &A, T &B) { T C = A; A = B; B = C; }
template <class T> struct allocator {};
template <class T, class A = allocator<T>> struct vector {
  vector(int = 0); T *data(); T &operator[](int); int size() const; void swap(vector &);
  void push_back(const T &);
};
template <class F, class... A> void call(F f, A... a) { f(a...); }
template <class T, class... A> T *make(A... a) { return new T(a...); }
template <class T> struct function;
template <class R, class... A> struct function<R(A...)> {
  template <class F> function(F f) {} R operator()(A...);
};
}
namespace thrust {
template <class T> struct device_ptr {
  T *get() const; device_ptr operator+(int) const;
};
template <class T> struct device_allocator {};
template <class T, class A = device_allocator<T>> struct device_vector {
  device_vector(int = 0); device_ptr<T> data(); device_vector &operator=(const device_vector &);
  void swap(device_vector &); int size() const;
};
template <class T> T *raw_pointer_cast(device_ptr<T> P) { return P.get(); }
template <class T> T *raw_pointer_cast(T *P) { return P; }
}
void *operator new(size_t);
void *operator new[](size_t);
)";

inline constexpr char Head[] = R"(
#include <library.h>
#define CHECK(call) do { cudaError_t e = call; if (e) printf("%d", (int)e); } while (0)
__global__ void k(float *a, float *b) { a[0] = b[0]; }
)";

/// A kernel that no other unit can launch, in a unit without main.
inline constexpr char LocalKernel[] = R"(
#include <library.h>
static __global__ void k(float *a, float *b) { a[0] = b[0]; }
)";

/// The answer for the two parameters of kernel `k`, whatever its launches.
inline OverlapAnswer overlap(const std::string &Host,
                             const std::string &Before = Head) {
  std::unique_ptr<Program> P =
      parseCuda(Before + Host, {{"/virtual/sys/library.h", Library}},
                {"-isystem", "/virtual/sys"});
  if (!P)
    return {OverlapAnswer::Overlap, "does not parse"};
  auto A = ProgramAnalysis::analyze(*P);
  for (const auto &K : A->kernels())
    if (K->Name == "k" && !K->Launches.empty())
      return A->mayOverlap(*K, K->Parameters[0], K->Parameters[1]);
  for (const auto &K : A->kernels())
    if (K->Name == "k")
      return A->mayOverlap(*K, K->Parameters[0], K->Parameters[1]);
  return {OverlapAnswer::Overlap, "no kernel"};
}

} // namespace cudal1::testing

#define EXPECT_DISJOINT(...)                                                   \
  do {                                                                         \
    cudal1::OverlapAnswer Answer = cudal1::testing::overlap(__VA_ARGS__);      \
    EXPECT_EQ(Answer.Answer, cudal1::OverlapAnswer::Disjoint)                  \
        << Answer.Reason;                                                      \
  } while (0)
#define EXPECT_NOT_DISJOINT(...)                                               \
  do {                                                                         \
    cudal1::OverlapAnswer Answer = cudal1::testing::overlap(__VA_ARGS__);      \
    EXPECT_NE(Answer.Answer, cudal1::OverlapAnswer::Disjoint)                  \
        << Answer.Reason;                                                      \
    EXPECT_THAT(Answer.Reason,                                                 \
                ::testing::Not(::testing::HasSubstr("does not parse")));       \
  } while (0)

#endif // CUDAL1_UNITTESTS_ANALYSIS_HOSTPOINTERSTEST_H
