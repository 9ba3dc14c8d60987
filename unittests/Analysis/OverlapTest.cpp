//===- OverlapTest.cpp ----------------------------------------------------===//

#include "../ParseCuda.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

using namespace cudal1;

namespace {

class Overlap : public ::testing::Test {
protected:
  void parse(const std::string &Text) {
    P = cudal1::testing::parseCuda(Text);
    ASSERT_TRUE(P);
    A = ProgramAnalysis::analyze(*P);
    ASSERT_EQ(A->kernels().size(), 1u);
    K = A->kernels().front().get();
  }

  /// The first accesses to two names.
  OverlapAnswer bases(llvm::StringRef NameA, llvm::StringRef NameB) {
    const MemoryAccess *First = nullptr, *Second = nullptr;
    for (const MemoryAccess &Access : K->Accesses) {
      if (!Access.Base)
        continue;
      if (!First && Access.Base->getName() == NameA)
        First = &Access;
      else if (!Second && Access.Base->getName() == NameB)
        Second = &Access;
    }
    EXPECT_TRUE(First && Second);
    return A->basesMayOverlap(*K, *First, *Second);
  }

  std::unique_ptr<Program> P;
  std::unique_ptr<ProgramAnalysis> A;
  const Kernel *K = nullptr;
};

TEST_F(Overlap, RestrictOfTheAuthorIsTrusted) {
  parse("__global__ void k(float *__restrict__ a, float *b) { a[0] = b[0]; }");
  OverlapAnswer Answer = A->mayOverlap(*K, K->Parameters[0], K->Parameters[1]);
  EXPECT_TRUE(Answer.disjoint());
  EXPECT_EQ(Answer.Reason, "`a` is declared __restrict__ by the author");
}

TEST_F(Overlap, DifferentKindsOfMemoryAreApart) {
  parse("__constant__ float c[4];\n"
        "__global__ void k(float *a) { __shared__ float s[4], t[4]; float l[4];"
        " s[0] = 0; t[0] = 1; l[0] = 2; a[0] = s[0] + l[0] + t[0] + c[0]; }");
  EXPECT_TRUE(bases("a", "s").disjoint());
  EXPECT_TRUE(bases("a", "l").disjoint());
  EXPECT_TRUE(bases("a", "c").disjoint());
  EXPECT_TRUE(bases("s", "t").disjoint());
  EXPECT_EQ(bases("s", "s").Answer, OverlapAnswer::Overlap);
}

TEST_F(Overlap, DynamicSharedArraysAreOne) {
  parse("extern __shared__ float s[];\nextern __shared__ float t[];\n"
        "__global__ void k(float *a) { s[0] = 0; t[0] = 1; a[0] = s[0]; }");
  EXPECT_FALSE(bases("s", "t").disjoint());
}

TEST_F(Overlap, ADeviceVariableAndAParameter) {
  parse("__device__ float d[4];\n"
        "__global__ void k(float *a) { a[0] = 1; d[0] = 2; }\n"
        "int main() { float *x; cudaMalloc(&x, 4); k<<<1, 1>>>(x); }");
  EXPECT_TRUE(bases("a", "d").disjoint());
  parse(
      "extern \"C\" cudaError_t cudaGetSymbolAddress(void **, const void *);\n"
      "__device__ float d[4];\n"
      "__global__ void k(float *a) { a[0] = 1; d[0] = 2; }\n"
      "int main() { float *x; cudaGetSymbolAddress((void **)&x, d);"
      " k<<<1, 1>>>(x); }");
  EXPECT_FALSE(bases("a", "d").disjoint());
}

} // namespace
