//===- HostPointersTest.cpp - Allocations and what is made of them --------===//

#include "HostPointersTest.h"

using namespace cudal1;
using namespace cudal1::testing;
using ::testing::HasSubstr;

namespace {

// --- Plain allocations -------------------------------------------------------

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

// --- Values that cannot be followed ------------------------------------------

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

} // namespace
