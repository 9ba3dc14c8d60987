//===- DependenceTest.cpp -------------------------------------------------===//

#include "cudal1/Analysis/Dependence.h"
#include "../ParseCuda.h"
#include "cudal1/Analysis/ProgramAnalysis.h"

using namespace cudal1;

namespace {

class DependenceOf : public ::testing::Test {
protected:
  /// How `a[Second]` meets `a[First]` in loops over i and j.
  std::optional<Dependence> find(const std::string &First,
                                 const std::string &Second,
                                 bool SizesArePositive = false,
                                 const std::string &Rows = "n",
                                 const std::string &Columns = "m") {
    P = cudal1::testing::parseCuda(
        "__global__ void kernel(float *a, const int *p, int n, int m) {\n"
        "int t = threadIdx.x;\n"
        "for (int i = 0; i < " +
        Rows + "; ++i)\nfor (int j = 0; j < " + Columns + "; ++j) {\na[" +
        First + "] = 1;\na[" + Second + "] = 2;\n}\n}\n");
    EXPECT_TRUE(P);
    A = ProgramAnalysis::analyze(*P);
    const Kernel &K = *A->kernels().front();
    std::vector<const MemoryAccess *> Writes;
    for (const MemoryAccess &Access : K.Accesses)
      if (Access.writes())
        Writes.push_back(&Access);
    EXPECT_EQ(Writes.size(), 2u);
    const Loop *Nest[] = {K.Loops[0].get(), K.Loops[1].get()};
    if (!Nest[0]->IsInnermost)
      EXPECT_EQ(Nest[1]->Parent, Nest[0]);
    else
      std::swap(Nest[0], Nest[1]);
    return findDependence(K, *Writes[0], *Writes[1], Nest,
                          [&](const Polynomial &Value) {
                            // n > 0 and m > 0, and nothing else.
                            for (const auto &[Monomial, Factor] : Value.terms())
                              if (Factor < 0 || Monomial.empty())
                                return false;
                            return SizesArePositive && !Value.isZero();
                          });
  }

  std::unique_ptr<Program> P;
  std::unique_ptr<ProgramAnalysis> A;
};

TEST_F(DependenceOf, ConstantStridesHaveConstantDistances) {
  auto D = find("j", "j");
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[0], std::nullopt);
  EXPECT_EQ(D->Distances[1], 0);
  D = find("2 * j", "2 * j + 4");
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[1], -2);
  D = find("2 * j + 6", "2 * j");
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[1], 3);
}

TEST_F(DependenceOf, ADownwardStrideCountsTheOtherWay) {
  auto D = find("t - j", "t - j + 2");
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[1], 2);
}

TEST_F(DependenceOf, WhatNeverMeetsIsIndependent) {
  EXPECT_FALSE(find("2 * j", "2 * j + 1"));
  EXPECT_FALSE(find("t", "t + 1"));
  EXPECT_FALSE(find("j", "j + 8", false, "n", "8"));
  EXPECT_TRUE(find("j", "j + 7", false, "n", "8"));
}

TEST_F(DependenceOf, RowsOfTheLoopsOwnLengthDoNotMeet) {
  auto D = find("i * m + j", "i * m + j", true);
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[0], 0);
  EXPECT_EQ(D->Distances[1], 0);
  D = find("i * m + j", "i * m + m + j", true);
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[0], -1);
  EXPECT_EQ(D->Distances[1], 0);
}

TEST_F(DependenceOf, RowsOfAnotherLengthMayMeet) {
  auto D = find("i * n + j", "i * n + j", true);
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[0], std::nullopt);
  D = find("i * 4 + j", "i * 4 + j", false, "n", "8");
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[0], std::nullopt);
}

TEST_F(DependenceOf, AStrideThatMayBeZeroKeepsNothingApart) {
  auto D = find("i * n + t", "i * n + t");
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[0], std::nullopt);
  D = find("i * n + t", "i * n + t", true);
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[0], 0);
  EXPECT_EQ(D->Distances[1], std::nullopt);
}

TEST_F(DependenceOf, ConstantExtentsAreReachedExactly) {
  auto D = find("i * 8 + j", "i * 8 + j + 8", false, "n", "8");
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[0], -1);
  EXPECT_EQ(D->Distances[1], 0);
}

TEST_F(DependenceOf, ATriangleIsNotARectangle) {
  auto D = find("i * m + j", "i * m + j", true, "n", "i");
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[0], std::nullopt);
  EXPECT_EQ(D->Distances[1], std::nullopt);
}

TEST_F(DependenceOf, IndicesThatAreNotLinearMayMeetAnywhere) {
  for (const char *Index : {"p[j]", "i * j", "j % 3", "j * j"}) {
    auto D = find(Index, Index, true);
    ASSERT_TRUE(D) << Index;
    EXPECT_EQ(D->Distances[0], std::nullopt) << Index;
    EXPECT_EQ(D->Distances[1], std::nullopt) << Index;
  }
  auto D = find("j", "2 * j", true);
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Distances[1], std::nullopt);
}

} // namespace
