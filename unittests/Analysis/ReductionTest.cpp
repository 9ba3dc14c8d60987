//===- ReductionTest.cpp --------------------------------------------------===//

#include "cudal1/Analysis/Reduction.h"
#include "../ParseCuda.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

using namespace cudal1;

namespace {

class ReductionInto : public ::testing::Test {
protected:
  /// What a loop over k with body \p Body reduces into the variable `r`, which
  /// is declared by \p Declaration.
  std::optional<Reduction> find(const std::string &Declaration,
                                const std::string &Body) {
    analyze(Declaration + "\nfor (int k = 0; k < n; ++k) {\n" + Body + "\n}");
    const Loop &L = *K->Loops.front();
    for (const clang::VarDecl *V : L.Assigned)
      if (V->getName() == "r")
        return findReduction(*K, L, V, Obstacle);
    ADD_FAILURE() << "r is not assigned";
    return std::nullopt;
  }
  void analyze(const std::string &Body) {
    P = cudal1::testing::parseCuda(
        "__device__ float max(float a, float b, float c);\n"
        "__global__ void kernel(const float *a, const int *p, float *b, "
        "int n) {\n" +
        Body + "\n}\n");
    ASSERT_TRUE(P);
    A = ProgramAnalysis::analyze(*P);
    K = A->kernels().front().get();
  }

  std::unique_ptr<Program> P;
  std::unique_ptr<ProgramAnalysis> A;
  const Kernel *K = nullptr;
  std::string Obstacle;
};

TEST_F(ReductionInto, SumsInAnySpelling) {
  for (const char *Body :
       {"r += a[k];", "r = r + a[k];", "r = a[k] + r;", "r -= a[k];",
        "r = r + a[k] - b[k];", "r = fmaf(a[k], b[k], r);",
        "if (a[k] > 0) r += a[k];", "r += a[k]; r += b[k];", "r++;",
        "for (int j = 0; j < 3; ++j) r += a[k + j];"}) {
    auto R = find("float r = 0;", Body);
    ASSERT_TRUE(R) << Body << ": " << Obstacle;
    EXPECT_EQ(R->Op, ReductionOp::Sum) << Body;
    EXPECT_FALSE(R->isExact());
    EXPECT_FALSE(R->isIdempotent());
  }
}

TEST_F(ReductionInto, MaximaByFunctionAreExact) {
  auto R = find("float r = a[0];", "r = fmaxf(a[k], r);");
  ASSERT_TRUE(R) << Obstacle;
  EXPECT_EQ(R->Op, ReductionOp::Max);
  EXPECT_TRUE(R->isExact());
  EXPECT_TRUE(R->isIdempotent());
}

TEST_F(ReductionInto, ComparisonsKeepTheFirstOfZeros) {
  for (const char *Body :
       {"if (a[k] < r) r = a[k];", "if (r > a[k]) { r = a[k]; }",
        "r = a[k] < r ? a[k] : r;", "float v = a[k]; if (v <= r) r = v;"}) {
    auto R = find("float r = a[0];", Body);
    ASSERT_TRUE(R) << Body << ": " << Obstacle;
    EXPECT_EQ(R->Op, ReductionOp::Min) << Body;
    EXPECT_TRUE(R->Compares);
    EXPECT_FALSE(R->isExact());
  }
}

TEST_F(ReductionInto, IntegersAreExact) {
  for (auto [Body, Op] : {std::pair("r += p[k];", ReductionOp::Sum),
                          {"r *= p[k];", ReductionOp::Product},
                          {"r &= p[k];", ReductionOp::And},
                          {"r = p[k] | r;", ReductionOp::Or},
                          {"r ^= p[k];", ReductionOp::Xor},
                          {"r = r > p[k] ? r : p[k];", ReductionOp::Max},
                          {"r = min(r, p[k]);", ReductionOp::Min}}) {
    auto R = find("int r = 1;", Body);
    ASSERT_TRUE(R) << Body << ": " << Obstacle;
    EXPECT_EQ(R->Op, Op) << Body;
    EXPECT_TRUE(R->isExact());
  }
}

TEST_F(ReductionInto, RefusesWhatDependsOnTheOrder) {
  for (const char *Body :
       {"r = a[k];", "r = a[k] - r;", "r += a[k]; r *= 2;",
        "r += a[k]; b[k] = r;", "r += r * a[k];", "if (r < 9) r += a[k];",
        "r = r / a[k];", "r = max(r, a[k], b[k]);", "if (a[k] > r) r = b[k];",
        "r = r > a[k] ? r : a[k];", "r = (int)(r + a[k]);",
        "r = fmaxf(r, 0.5f * r);", "r = r > 0 ? r + a[k] : r;"})
    EXPECT_FALSE(find("float r = 0;", Body)) << Body;
}

TEST_F(ReductionInto, RefusesWhatIsRoundedOnTheWay) {
  EXPECT_FALSE(find("int r = 0;", "r += a[k];"));
  EXPECT_FALSE(find("int r = 0;", "r = r + 0.5f;"));
  EXPECT_FALSE(find("short r = 0;", "r += p[k];"));
  EXPECT_FALSE(find("int r = 0;", "if (a[k] > r) r = a[k];"));
  EXPECT_FALSE(find("double r = 0;", "r = fmaxf(r, a[k]);"));
}

TEST_F(ReductionInto, RefusesWhatEscapes) {
  EXPECT_FALSE(find("float r = 0; float *q = &r; *q = 1;", "r += a[k];"));
}

TEST_F(ReductionInto, AnElementOfMemory) {
  analyze("for (int k = 0; k < n; ++k)\n  b[threadIdx.x] += a[k];");
  std::vector<const MemoryAccess *> Element;
  for (const MemoryAccess &Access : K->Accesses)
    if (Access.Base->getName() == "b")
      Element.push_back(&Access);
  auto R = findReduction(*K, *K->Loops.front(), Element, Obstacle);
  ASSERT_TRUE(R) << Obstacle;
  EXPECT_EQ(R->Op, ReductionOp::Sum);
  EXPECT_EQ(R->Variable, nullptr);
  EXPECT_EQ(R->Element.size(), 1u);
}

} // namespace
