//===- HostPointersTest.cpp -----------------------------------------------===//
//
// A wrong "Disjoint" is a wrong result for the user: most tests here are traps.
//
//===----------------------------------------------------------------------===//

#include "cudal1/Analysis/HostPointers.h"
#include "cudal1/Analysis/ProgramAnalysis.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using ::testing::HasSubstr;

namespace {

constexpr char MainFile[] = "/virtual/main.cu";

/// What the library headers would declare, at a place for system headers.
constexpr char Library[] = R"(
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

std::unique_ptr<Program> parse(const std::string &Text) {
  ParseInput Input;
  Input.File = MainFile;
  Input.Directory = "/";
  auto Command = [&](const char *Side) {
    return std::vector<std::string>{"clang++",
                                    "-x",
                                    "cuda",
                                    "-std=c++17",
                                    "--cuda-gpu-arch=sm_80",
                                    Side,
                                    "-nocudainc",
                                    "-nocudalib",
                                    "-resource-dir",
                                    CUDAL1_CLANG_RESOURCE_DIR,
                                    "-isystem",
                                    CUDAL1_SOURCE_DIR "/test/Inputs/fake-cuda",
                                    "-include",
                                    "cuda.h",
                                    "-isystem",
                                    "/virtual/sys",
                                    MainFile};
  };
  Input.DeviceArgs = Command("--cuda-device-only");
  Input.HostArgs = Command("--cuda-host-only");
  SourceOverlay Overlay;
  Overlay[MainFile] = Text;
  Overlay["/virtual/sys/library.h"] = Library;
  auto P = Program::parse(std::move(Input), std::move(Overlay));
  if (!P) {
    std::string Why;
    llvm::handleAllErrors(P.takeError(),
                          [&](const ParseError &E) { Why = E.Diagnostics; });
    ADD_FAILURE() << Why;
    return nullptr;
  }
  return std::move(*P);
}

constexpr char Head[] = R"(
#include <library.h>
#define CHECK(call) do { cudaError_t e = call; if (e) printf("%d", (int)e); } while (0)
__global__ void k(float *a, float *b) { a[0] = b[0]; }
)";

/// A kernel that no other unit can launch, in a unit without main.
constexpr char LocalKernel[] = R"(
#include <library.h>
static __global__ void k(float *a, float *b) { a[0] = b[0]; }
)";

/// The answer for the two parameters of kernel `k`, whatever its launches.
OverlapAnswer overlap(const std::string &Host,
                      const std::string &Before = Head) {
  std::unique_ptr<Program> P = parse(Before + Host);
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

#define EXPECT_DISJOINT(...)                                                   \
  do {                                                                         \
    OverlapAnswer Answer = overlap(__VA_ARGS__);                               \
    EXPECT_EQ(Answer.Answer, OverlapAnswer::Disjoint) << Answer.Reason;        \
  } while (0)
#define EXPECT_NOT_DISJOINT(...)                                               \
  do {                                                                         \
    OverlapAnswer Answer = overlap(__VA_ARGS__);                               \
    EXPECT_NE(Answer.Answer, OverlapAnswer::Disjoint) << Answer.Reason;        \
    EXPECT_THAT(Answer.Reason, testing::Not(HasSubstr("does not parse")));     \
  } while (0)

// --- Plain allocations ------------------------------------------------------

TEST(HostPointers, TwoAllocationsAreDisjointAndTheReasonNamesThem) {
  OverlapAnswer Answer = overlap(R"(int main() {
  float *x, *y;
  cudaMalloc(&x, 4);
  CHECK(cudaMalloc((void **)&y, 4));
  k<<<1, 1>>>(x, y);
})");
  EXPECT_TRUE(Answer.disjoint()) << Answer.Reason;
  EXPECT_EQ(Answer.Reason,
            "`x` and `y` are different buffers (main.cu:7, main.cu:8)");
}

TEST(HostPointers, EveryAllocatorCounts) {
  EXPECT_DISJOINT(R"(int main() {
  float *x, *y; cudaMallocManaged(&x, 4); size_t p;
  cudaMallocPitch((void **)&y, &p, 4, 4); k<<<1, 1>>>(x, y); })");
  EXPECT_DISJOINT(R"(int main() {
  float *x = (float *)malloc(4), *y = new float[4]; k<<<1, 1>>>(x, y); })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y;
  cudaMallocAsync((void **)&x, 4, 0); cudaHostAlloc((void **)&y, 4, 0);
  k<<<1, 1>>>(x, y); })");
}

TEST(HostPointers, TheSameVariableTwiceOverlaps) {
  OverlapAnswer Answer = overlap(
      "int main() { float *x; cudaMalloc(&x, 4); k<<<1, 1>>>(x, x + 1); }");
  EXPECT_EQ(Answer.Answer, OverlapAnswer::Overlap);
  EXPECT_THAT(Answer.Reason, HasSubstr("main.cu:5"));
}

TEST(HostPointers, OffsetsIntoOneAllocationAreNotDisjoint) {
  EXPECT_NOT_DISJOINT(R"(int main() { float *x; cudaMalloc(&x, 8);
  float *y = x + 1; k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { char *pool; cudaMalloc(&pool, 8);
  float *x = (float *)pool, *y = (float *)(pool + 4); k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 8);
  y = &x[2]; k<<<1, 1>>>(x, y); })");
}

TEST(HostPointers, SteppingStaysInTheAllocation) {
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 8);
  cudaMalloc(&y, 8); for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(x++, y);
  y += 1; } })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 8);
  y = x; y += 4; k<<<1, 1>>>(x, y); })");
}

TEST(HostPointers, ACopyMadeOnOneBranchCounts) {
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *x, *y;
  cudaMalloc(&x, 4); cudaMalloc(&y, 4); if (n) y = x; k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *x, *y;
  cudaMalloc(&x, 4); cudaMalloc(&y, 4); k<<<1, 1>>>(n ? x : y, y); })");
}

TEST(HostPointers, OneBadLaunchAmongMany) {
  OverlapAnswer Answer = overlap(R"(int main() { float *x, *y;
  cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  k<<<1, 1>>>(x, y);
  k<<<1, 1>>>(y, y);
})");
  EXPECT_EQ(Answer.Answer, OverlapAnswer::Overlap);
  EXPECT_THAT(Answer.Reason, HasSubstr("main.cu:8"));
}

TEST(HostPointers, AnAllocationKeptOverIterationsIsNotANewOne) {
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *old = 0;
  for (int i = 0; i < 2; ++i) { cudaMalloc(&x, 4); k<<<1, 1>>>(x, old);
    old = x; x = old; k<<<1, 1>>>(x, old); } })");
}

TEST(HostPointers, NoLaunchInTheUnitIsUnknown) {
  OverlapAnswer Answer = overlap("int main() {}");
  EXPECT_EQ(Answer.Answer, OverlapAnswer::Unknown);
  EXPECT_EQ(Answer.Reason, "no launch of `k` in this unit");
}

TEST(HostPointers, ReallocationAndFreeAreFine) {
  EXPECT_DISJOINT(R"(int main(int n, char **) { float *x, *y;
  cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  for (int i = 0; i < n; ++i) { if (i) { cudaFree(x); cudaMalloc(&x, 8); }
    k<<<1, 1>>>(x, y); } cudaFree(x); cudaFree(y); })");
}

// --- Values that cannot be followed -----------------------------------------

TEST(HostPointers, UnknownSourcesAreUnknownAndSaySo) {
  OverlapAnswer Answer = overlap(R"(int main() { float *x, *y;
  cudaMalloc(&x, 4);
  y = lookup(3);
  k<<<1, 1>>>(x, y); })");
  EXPECT_EQ(Answer.Answer, OverlapAnswer::Unknown);
  EXPECT_THAT(Answer.Reason, HasSubstr("`lookup`"));
  EXPECT_THAT(Answer.Reason, HasSubstr("main.cu:7"));
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y;
  cudaMalloc(&x, 4); cudaMalloc(&y, 4); refill(&y); k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); memcpy(&y, &x, sizeof x); k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float **p = &y; *p = x; k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *&r = y; r = x; k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); *(void **)&y = x; k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); ((float **)&y)[0] = x; k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); asm("" : "+r"(y) : "r"(x)); k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); y = (float *)(size_t)x; k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float **all[] = {&x, &y}; for (float **p : all) *p = x;
  k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); (x ? y : x) = x; k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); auto f = [&] { y = x; }; f(); k<<<1, 1>>>(x, y); })");
}

TEST(HostPointers, PlacementNewIsNoAllocation) {
  EXPECT_NOT_DISJOINT(R"(
inline void *operator new(size_t, void *p) { return p; }
int main() { float *x; cudaMalloc(&x, 4); float *y = new (x) float;
  k<<<1, 1>>>(x, y); })");
}

TEST(HostPointers, AFunctionOfTheAuthorsThatIsNamedLikeAnAllocator) {
  EXPECT_NOT_DISJOINT(R"(
float *arena;
float *valloc(int n) { float *p = arena; arena += n; return p; }
int main() { cudaMalloc(&arena, 100); float *x = valloc(1), *y = valloc(1);
  k<<<1, 1>>>(x, y); })");
}

// --- Helpers that allocate ---------------------------------------------------

TEST(HostPointers, AllocatingHelpersAreToldApartByTheirCalls) {
  EXPECT_DISJOINT(R"(
float *make(int n) { float *p = nullptr; cudaMalloc(&p, n); return p; }
int main() { float *x = make(1); float *y = make(2); k<<<1, 1>>>(x, y); })");
  EXPECT_DISJOINT(R"(
template <class T> T *make(int n) { T *p; CHECK(cudaMalloc(&p, n)); return p; }
int main() { float *x = make<float>(1), *y = make<float>(2);
  k<<<1, 1>>>(x, y); })");
  EXPECT_DISJOINT(R"(
void make(float **p, int n) { cudaMalloc((void **)p, n); }
int main() { float *x, *y; make(&x, 1); make(&y, 1); k<<<1, 1>>>(x, y); })");
  EXPECT_DISJOINT(R"(
void make(float *&p, int n) { cudaMalloc(&p, n); }
int main() { float *x, *y; make(x, 1); make(y, 1); k<<<1, 1>>>(x, y); })");
  EXPECT_DISJOINT(R"(
void make(float **out) { float *p; cudaMalloc(&p, 4); *out = p; }
int main() { float *x, *y; make(&x); make(&y); k<<<1, 1>>>(x, y); })");
}

TEST(HostPointers, HelpersThatHandOutOneBufferTwice) {
  EXPECT_NOT_DISJOINT(R"(
float *get() { static float *p; if (!p) cudaMalloc(&p, 4); return p; }
int main() { float *x = get(), *y = get(); k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(
float *last;
float *make() { float *p; cudaMalloc(&p, 4); last = p; return p; }
int main() { float *x = make(); k<<<1, 1>>>(x, last); })");
  EXPECT_NOT_DISJOINT(R"(
void make(float **a, float **b) { float *p; cudaMalloc(&p, 4); *a = p; *b = p; }
int main() { float *x, *y; make(&x, &y); k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(
float *make(float **a) { float *p; cudaMalloc(&p, 4); *a = p; return p; }
int main() { float *x, *y; y = make(&x); k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(
void make(float **a, float **b) { cudaMalloc(a, 4); *b = *a; }
int main() { float *x, *y; make(&x, &y); k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(
float *g;
void make(float **a) { float *p; cudaMalloc(&p, 4); *a = p; k<<<1, 1>>>(p, g); }
int main() { make(&g); })");
  EXPECT_NOT_DISJOINT(R"(
float *pick(float *p, int n) { if (n) return p; float *q; cudaMalloc(&q, 4);
  return q; }
int main(int n, char **) { float *x; cudaMalloc(&x, 4); float *y = pick(x, n);
  k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(
float *deep(int n) { if (n) return deep(n - 1); return lookup(n); }
int main(int n, char **) { float *x = deep(1), *y = deep(2);
  k<<<1, 1>>>(x, y); })");
}

// --- Double buffering
// ----------------------------------------------------------

TEST(HostPointers, BuffersThatAreOnlySwappedStayDisjoint) {
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(x, y);
  std::swap(x, y); } })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(x, y);
  float *t = x; x = y; y = t; } })");
  EXPECT_DISJOINT(R"(float *x, *y; static float *t; int main() {
  cudaMalloc(&x, 4); cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) {
  k<<<1, 1>>>(x, y); t = x; x = y; y = t; } })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y, *z; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); cudaMalloc(&z, 4); for (int i = 0; i < 9; ++i) {
  k<<<1, 1>>>(x, z); float *t = x; x = y; y = z; z = t; } })");
  EXPECT_DISJOINT(R"(
void swap(float **a, float **b) { float *t = *a; *a = *b; *b = t; }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  k<<<1, 1>>>(x, y); swap(&x, &y); k<<<1, 1>>>(x, y); })");
}

TEST(HostPointers, CopiesThatLookLikeSwaps) {
  // Half a swap.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *t = x; x = y; k<<<1, 1>>>(x, y); y = t; })");
  // The temporary is passed.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y, *t = 0; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); t = x; x = y; y = t; k<<<1, 1>>>(t, y); })");
  // Launched in the middle.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *t = x; x = y; k<<<1, 1>>>(x, y); y = t;
  k<<<1, 1>>>(x, y); })");
  // A copy taken before the swap.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *old = x; std::swap(x, y); k<<<1, 1>>>(old, y); })");
  // A lambda's own copy.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); auto f = [x, &y] { k<<<1, 1>>>(x, y); };
  std::swap(x, y); f(); })");
  // A function named swap that does not.
  EXPECT_NOT_DISJOINT(R"(
void swap(float **a, float **b) { float *t = *a; *a = *b; *b = *a; }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  swap(&x, &y); k<<<1, 1>>>(x, y); })");
  // By value: nothing is exchanged, but nothing is shared either.
  EXPECT_DISJOINT(R"(
void swap(float *a, float *b) { float *t = a; a = b; b = t; }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  swap(x, y); k<<<1, 1>>>(x, y); })");
}

TEST(HostPointers, LocalNamesForBuffersThatAreSwapped) {
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *in = x, *out = y;
  for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(in, out); std::swap(in, out); } })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *in, *out; in = x; out = y;
  for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(in, out); std::swap(in, out); } })");
  // The inner name starts anew while the outer one is swapped.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *in = x; for (int i = 0; i < 9; ++i) {
  float *out = y; k<<<1, 1>>>(in, out); std::swap(in, out); } })");
  // Set again after a swap.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *in = x, *out = y; std::swap(in, out); in = x;
  k<<<1, 1>>>(in, out); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *in = x, *out = x;
  for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(in, out); std::swap(in, out); } })");
  // A loop made of jumps sets them again.
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *x, *y, *in, *out;
  cudaMalloc(&x, 4); cudaMalloc(&y, 4); out = y;
  again: in = x; k<<<1, 1>>>(in, out); std::swap(in, out);
  if (n--) goto again; })");
}

TEST(HostPointers, ChosenByParity) {
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i)
  k<<<1, 1>>>(i % 2 ? x : y, i % 2 ? y : x); })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) {
  float *in = i % 2 ? x : y; float *out = i % 2 ? y : x;
  k<<<1, 1>>>(in, out); } })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y, *in, *out; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) {
  if (i & 1) { in = x; out = y; } else { in = y; out = x; }
  k<<<1, 1>>>(in, out); } })");
  EXPECT_NOT_DISJOINT(
      R"(int main() { float *x, *y, *in, *out; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); for (int i = 0; i < 9; ++i) {
  if (i & 1) { in = x; } else { in = y; out = x; }
  k<<<1, 1>>>(in, out); } })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); int i = 0;
  k<<<1, 1>>>(i++ % 2 ? x : y, i++ % 2 ? y : x); })");
  // The condition changes between the two.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); int i = 0; float *in = i ? x : y; i = 1;
  float *out = i ? y : x; k<<<1, 1>>>(in, out); })");
}

TEST(HostPointers, ArraysOfBuffers) {
  EXPECT_DISJOINT(R"(int main() { float *d[2]; cudaMalloc(&d[0], 4);
  cudaMalloc(&d[1], 4); k<<<1, 1>>>(d[0], d[1]); })");
  EXPECT_DISJOINT(R"(int main() { float *d[2]; for (int i = 0; i < 2; ++i)
  cudaMalloc(&d[i], 4); int c = 0; for (int i = 0; i < 9; ++i) {
  k<<<1, 1>>>(d[c], d[1 - c]); c ^= 1; k<<<1, 1>>>(d[c], d[c ^ 1]);
  k<<<1, 1>>>(d[i % 2], d[(i + 1) % 2]); k<<<1, 1>>>(d[c], d[!c]); } })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); float *d[2] = {x, y}; for (int i = 0; i < 9; ++i)
  k<<<1, 1>>>(d[i & 1], d[(i + 1) & 1]); })");
  EXPECT_DISJOINT(R"(int main(int n, char **) { float *a[4], *b[4];
  for (int i = 0; i < 4; ++i) { cudaMalloc(&a[i], 4); cudaMalloc(&b[i], 4); }
  k<<<1, 1>>>(a[n], b[n]); })");
}

TEST(HostPointers, ArrayElementsThatMayBeOne) {
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4);
  k<<<1, 1>>>(d[n], d[n * 2]); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4);
  k<<<1, 1>>>(d[n % 3], d[(n + 3) % 3]); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { unsigned u = n; float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4);
  k<<<1, 1>>>(d[u % 3], d[(u + 1) % 3]); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4); d[1] = d[0];
  k<<<1, 1>>>(d[0], d[1]); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4); refill(d);
  k<<<1, 1>>>(d[0], d[1]); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { float *x; cudaMalloc(&x, 4);
  float *d[2] = {x, x + 1}; k<<<1, 1>>>(d[0], d[1]); })");
  EXPECT_NOT_DISJOINT(
      R"(int main(int n, char **) { volatile int i = 0; float *d[4];
  for (int i = 0; i < 4; ++i) cudaMalloc(&d[i], 4);
  k<<<1, 1>>>(d[i], d[1 - i]); })");
}

// --- Host functions around the launch
// -------------------------------------------

TEST(HostPointers, WrappersAreFollowedToTheirCallers) {
  EXPECT_DISJOINT(R"(
void run(float *in, float *out) { k<<<1, 1>>>(in, out); }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  run(x, y); run(y, x); })");
  EXPECT_DISJOINT(R"(
static void run(float *in, float *out) { for (int i = 0; i < 9; ++i) {
  k<<<1, 1>>>(in, out); std::swap(in, out); } }
void go(float *a, float *b) { run(a, b); run(b, a); }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4); go(x, y); })");
  EXPECT_DISJOINT(R"(
template <class T> void run(T *in, T *out) { k<<<1, 1>>>(in, out); }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4); run(x, y); })");
  EXPECT_DISJOINT(R"(
void run(float *in, float *out, int n) { float *a = in; float *b = out;
  for (int i = 0; i < n; ++i) { k<<<1, 1>>>(a, b); float *t = a; a = b; b = t; } }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4); run(x, y, 4); })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); auto run = [](float *a, float *b) { k<<<1, 1>>>(a, b); };
  run(x, y); run(y, x); })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); auto run = [&] { k<<<1, 1>>>(x, y); std::swap(x, y); };
  run(); run(); })");
  EXPECT_DISJOINT(R"(
void run(float *in, float *out, int n) { if (!n) return; k<<<1, 1>>>(in, out);
  run(out, in, n - 1); }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4); run(x, y, 4); })");
}

TEST(HostPointers, MemoryMadeInsideDiffersFromWhatWasPassedIn) {
  EXPECT_DISJOINT(R"(
void run(float *in) { float *tmp; cudaMalloc(&tmp, 4); k<<<1, 1>>>(tmp, in); }
int main() { run(lookup(1)); })");
  EXPECT_NOT_DISJOINT(R"(
void run(float *in) { float *tmp; cudaMalloc(&tmp, 4); in = tmp;
  k<<<1, 1>>>(tmp, in); }
int main() { run(lookup(1)); })");
  EXPECT_NOT_DISJOINT(R"(
void run(float *in) { static float *tmp; if (!tmp) cudaMalloc(&tmp, 4);
  k<<<1, 1>>>(tmp, in); if (!in) run(tmp); }
int main() { run(0); })");
  EXPECT_NOT_DISJOINT(R"(
void run(float *in, int n) { float *tmp; cudaMalloc(&tmp, 4);
  k<<<1, 1>>>(tmp, in + n); std::swap(in, tmp); k<<<1, 1>>>(in, in); }
int main() { run(lookup(1), 1); })");
}

TEST(HostPointers, CallersThatCannotBeSeen) {
  // Any other unit may call it.
  OverlapAnswer Answer = overlap(R"(
void run(float *in, float *out) { k<<<1, 1>>>(in, out); })",
                                 LocalKernel);
  EXPECT_EQ(Answer.Answer, OverlapAnswer::Unknown);
  EXPECT_THAT(Answer.Reason, HasSubstr("`run` may be called from other files"));
  // Its address is taken.
  EXPECT_NOT_DISJOINT(R"(
void run(float *in, float *out) { k<<<1, 1>>>(in, out); }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4); run(x, y);
  void (*f)(float *, float *) = run; f(x, x); })");
  // One caller overlaps.
  EXPECT_NOT_DISJOINT(R"(
void run(float *in, float *out) { k<<<1, 1>>>(in, out); }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4); run(x, y);
  run(x, x + 1); })");
  // Called by a library with arguments that are not seen.
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); auto run = [](float *a, float *b) { k<<<1, 1>>>(a, b); };
  run(x, y); std::call(run, x, x); })");
  EXPECT_NOT_DISJOINT(R"(
struct Runner { Runner(float *a, float *b) { k<<<1, 1>>>(a, b); } };
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  Runner r(x, y); std::make<Runner>(x, x); })");
  EXPECT_NOT_DISJOINT(R"(
struct Base { virtual void run(float *a, float *b) = 0; };
struct Runner : Base { void run(float *a, float *b) { k<<<1, 1>>>(a, b); } };
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  Runner r; Base &b = r; b.run(x, x); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); void (*f)(float *, float *) =
      [](float *a, float *b) { k<<<1, 1>>>(a, b); };
  f(x, x); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); std::function<void(float *, float *)> f =
      [](float *a, float *b) { k<<<1, 1>>>(a, b); }; f(x, x); })");
}

TEST(HostPointers, AKernelThatIsLaunchedOutOfSight) {
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); k<<<1, 1>>>(x, y); auto f = k; f<<<1, 1>>>(x, x); })");
  EXPECT_NOT_DISJOINT(R"(
template <class F, class... A> void launch(F f, A... a) { f<<<1, 1>>>(a...); }
int main() { float *x, *y; cudaMalloc(&x, 4); cudaMalloc(&y, 4);
  k<<<1, 1>>>(x, y); launch(k, x, x); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); k<<<1, 1>>>(x, y);
  auto f = [](auto *p) { k<<<1, 1>>>(p, p); }; f(x); })");
  // Asking about it is no launch.
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); cudaFuncSetAttribute(k,
      cudaFuncAttributeMaxDynamicSharedMemorySize, 4); k<<<1, 1>>>(x, y); })");
}

TEST(HostPointers, LaunchesThroughAnArrayOfArguments) {
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); void *args[] = {&x, &y};
  cudaLaunchKernel((void *)k, dim3(1), dim3(1), args, 0, 0); })");
  EXPECT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); void *args[] = {(void *)&x, (void *)&y};
  for (int i = 0; i < 3; ++i) {
    cudaLaunchKernel(k, dim3(1), dim3(1), args); std::swap(x, y); } })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); void *args[] = {&x, &y}; args[1] = &x;
  cudaLaunchKernel((void *)k, dim3(1), dim3(1), args, 0, 0); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); void *args[] = {&x, &y}; *(float **)args[1] = x;
  cudaLaunchKernel((void *)k, dim3(1), dim3(1), args, 0, 0); })");
  EXPECT_NOT_DISJOINT(R"(void other(void **);
int main() { float *x, *y; cudaMalloc(&x, 4);
  cudaMalloc(&y, 4); void *args[] = {&x, &y}; other(args);
  cudaLaunchKernel((void *)k, dim3(1), dim3(1), args, 0, 0); })");
  EXPECT_NOT_DISJOINT(R"(int main() { float *x; cudaMalloc(&x, 4);
  void *args[] = {&x, &x};
  cudaLaunchKernel((void *)k, dim3(1), dim3(1), args, 0, 0); })");
}

// --- Globals
// --------------------------------------------------------------------

TEST(HostPointers, GlobalsOfAProgramInOneFile) {
  EXPECT_DISJOINT(R"(
float *x; static float *y = nullptr;
void setup() { cudaMalloc(&x, 4); cudaMalloc(&y, 4); }
void run() { k<<<1, 1>>>(x, y); }
int main() { setup(); run(); })");
  EXPECT_NOT_DISJOINT(R"(
extern float *x; static float *y;
int main() { cudaMalloc(&x, 4); cudaMalloc(&y, 4); k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(
float *x, *y;
void run() { cudaMalloc(&x, 4); cudaMalloc(&y, 4); k<<<1, 1>>>(x, y); })");
  constexpr char Unit[] = R"(
namespace { float *x, *y; }
void run() { cudaMalloc(&x, 4); cudaMalloc(&y, 4); k<<<1, 1>>>(x, y); })";
  EXPECT_DISJOINT(Unit, LocalKernel);
  // Another unit may launch the kernel itself.
  EXPECT_NOT_DISJOINT(Unit, Head);
  EXPECT_NOT_DISJOINT(R"(
static float *x, *y;
int main() { cudaMalloc(&x, 4); k<<<1, 1>>>(x, y); y = x; k<<<1, 1>>>(x, y); })");
}

TEST(HostPointers, DeviceVariables) {
  EXPECT_DISJOINT(R"(
__managed__ float x[4], y[4];
int main() { k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(
__managed__ float x[4];
int main() { k<<<1, 1>>>(x, x + 2); })");
  EXPECT_NOT_DISJOINT(R"(
__device__ float s[4];
int main() { float *x, *y; cudaGetSymbolAddress((void **)&x, s);
  cudaGetSymbolAddress((void **)&y, s); k<<<1, 1>>>(x, y); })");
  EXPECT_NOT_DISJOINT(R"(
int main() { float *x, *y; cudaHostAlloc((void **)&x, 4, 0);
  cudaHostGetDevicePointer((void **)&y, x, 0); k<<<1, 1>>>(x, y); })");
}

// --- Objects
// ----------------------------------------------------------------------

constexpr char Buffer[] = R"(
#include <library.h>
__global__ void k(float *a, float *b) { a[0] = b[0]; }
struct Buffer {
  float *p = nullptr;
  explicit Buffer(int n) { cudaMalloc(&p, n); }
  ~Buffer() { cudaFree(p); }
  Buffer(const Buffer &) = delete;
  float *get() const { return p; }
};
)";

TEST(HostPointers, FieldsOfOneStruct) {
  EXPECT_DISJOINT(R"(
struct State { float *a, *b; int n; };
void init(State *s) { cudaMalloc(&s->a, 4); cudaMalloc((void **)&s->b, 4); }
void step(State &s) { k<<<1, 1>>>(s.a, s.b); std::swap(s.a, s.b); }
int main() { State s; init(&s); for (int i = 0; i < 9; ++i) step(s); })");
  EXPECT_DISJOINT(R"(
class Solver { float *a, *b; public:
  Solver() { cudaMalloc(&a, 4); cudaMalloc(&b, 4); }
  void step() { k<<<1, 1>>>(a, b); float *t = a; a = b; b = t; } };
int main() { Solver s; s.step(); })");
  // Copied before the buffers are swapped in one of the copies.
  EXPECT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); State t = s;
  std::swap(t.a, t.b); k<<<1, 1>>>(t.a, t.b); })");
}

TEST(HostPointers, FieldsThatMayShare) {
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); State t = s;
  std::swap(t.a, t.b); k<<<1, 1>>>(s.a, t.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); State t = s;
  std::swap(t.a, s.b); k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
void other(State *);
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); other(&s);
  k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
void other(State &);
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); other(s);
  k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4);
  float **p = (float **)&s; p[1] = p[0]; k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4);
  float *State::*m = &State::b; s.*m = s.a; k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { float *x; cudaMalloc(&x, 4); State s{x, x + 1};
  k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { union { float *a; float *c; }; float *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4); s.c = s.b;
  k<<<1, 1>>>(s.a, s.b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
void fill(State *s);
State *make();
int main() { State *s = make(); cudaMalloc(&s->a, 4); k<<<1, 1>>>(s->a, s->b); })");
  EXPECT_NOT_DISJOINT(R"(
struct State { float *a, *b; };
int main() { State s; cudaMalloc(&s.a, 4); cudaMalloc(&s.b, 4);
  auto &[u, v] = s; v = u; k<<<1, 1>>>(s.a, s.b); })");
}

TEST(HostPointers, ObjectsThatOwnTheirBuffer) {
  EXPECT_DISJOINT("int main() { Buffer x(1), y(1); k<<<1, 1>>>(x.p, y.p); }",
                  Buffer);
  EXPECT_NOT_DISJOINT(
      "int main() { Buffer x(1); Buffer &y = x; k<<<1, 1>>>(x.p, y.p); }",
      Buffer);
  EXPECT_NOT_DISJOINT(R"(
void run(Buffer &x, Buffer &y) { k<<<1, 1>>>(x.p, y.p); }
int main() { Buffer x(1); run(x, x); })",
                      Buffer);
  EXPECT_DISJOINT(R"(
void run(Buffer &x, Buffer &y) { k<<<1, 1>>>(x.p, y.p); }
int main() { Buffer x(1), y(1); run(x, y); run(y, x); })",
                  Buffer);
  EXPECT_NOT_DISJOINT(R"(
struct Shallow { float *p; Shallow() { cudaMalloc(&p, 4); } };
int main() { Shallow x; Shallow y = x; k<<<1, 1>>>(x.p, y.p); })");
  EXPECT_NOT_DISJOINT(R"(
struct Shallow { float *p; Shallow() { cudaMalloc(&p, 4); } };
int main() { Shallow x, y; y = x; k<<<1, 1>>>(x.p, y.p); })");
  EXPECT_NOT_DISJOINT(R"(
struct Shallow { float *p; Shallow() { cudaMalloc(&p, 4); }
  Shallow(const Shallow &o) : p(o.p) {} };
int main() { Shallow x; Shallow y(x); k<<<1, 1>>>(x.p, y.p); })");
  EXPECT_NOT_DISJOINT(R"(
struct Shallow { float *p; Shallow() { cudaMalloc(&p, 4); } };
int main() { Shallow x, y; memcpy(&y, &x, sizeof x); k<<<1, 1>>>(x.p, y.p); })");
  EXPECT_NOT_DISJOINT(R"(
struct Shallow { float *p; Shallow() { cudaMalloc(&p, 4); } };
int main() { std::vector<Shallow> v(1); v.push_back(v[0]); Shallow x;
  k<<<1, 1>>>(v[0].p, v[1].p); })");
}

TEST(HostPointers, Containers) {
  EXPECT_DISJOINT(R"(int main() { thrust::device_vector<float> x(4), y(4);
  k<<<1, 1>>>(thrust::raw_pointer_cast(x.data()), y.data().get()); })");
  EXPECT_DISJOINT(R"(int main() { thrust::device_vector<float> x(4), y(4);
  for (int i = 0; i < 9; ++i) { x.swap(y);
  k<<<1, 1>>>(thrust::raw_pointer_cast(x.data() + 1), y.data().get()); } })");
  EXPECT_DISJOINT(R"(int main() { std::vector<float> x(4), y(4);
  float *p = x.data(), *q = &y[0]; k<<<1, 1>>>(p, q); })");
  EXPECT_NOT_DISJOINT(R"(int main() { std::vector<float> x(4), y(4);
  float *p = x.data(); x.swap(y); k<<<1, 1>>>(p, y.data()); })");
  EXPECT_NOT_DISJOINT(R"(int main() { std::vector<float *> x(4), y(4);
  x[0] = y[0]; k<<<1, 1>>>(x[0], y[0]); })");
  EXPECT_NOT_DISJOINT(R"(int main() { thrust::device_vector<float> x(4);
  auto &y = x; k<<<1, 1>>>(x.data().get(), y.data().get()); })");
  EXPECT_NOT_DISJOINT(R"(
float *pool;
template <class T> struct PoolAllocator { };
int main() { std::vector<float, PoolAllocator<float>> x(4), y(4);
  k<<<1, 1>>>(x.data(), y.data()); })");
  EXPECT_NOT_DISJOINT(R"(
void run(std::vector<float> &x, std::vector<float> &y) {
  k<<<1, 1>>>(x.data(), y.data()); }
int main() { std::vector<float> x(4); run(x, x); })");
  EXPECT_NOT_DISJOINT(R"(int main(int n, char **) { std::vector<float> x[2];
  k<<<1, 1>>>(x[n].data(), x[n * 2].data()); })");
}

} // namespace
