//===- HostCallersTest.cpp - Pointers through functions and globals -------===//

#include "HostPointersTest.h"

using namespace cudal1;
using namespace cudal1::testing;
using ::testing::HasSubstr;

namespace {

// --- Host functions around the launch ----------------------------------------

TEST(HostCallers, WrappersAreFollowedToTheirCallers) {
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

TEST(HostCallers, MemoryMadeInsideDiffersFromWhatWasPassedIn) {
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

TEST(HostCallers, CallersThatCannotBeSeen) {
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

TEST(HostCallers, AKernelThatIsLaunchedOutOfSight) {
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

TEST(HostCallers, LaunchesThroughAnArrayOfArguments) {
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

// --- Globals -----------------------------------------------------------------

TEST(HostCallers, GlobalsOfAProgramInOneFile) {
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

TEST(HostCallers, DeviceVariables) {
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

} // namespace
