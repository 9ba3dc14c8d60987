//===- OutputCompareTest.cpp - Compare what programs print ----------------===//

#include "cudal1/Measure/OutputCompare.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<std::string> wordsOf(llvm::StringRef Text) {
  std::vector<std::string> Result;
  for (const OutputToken &T : tokenizeOutput(Text)) {
    const char *Prefix[] = {"", "i:", "r:", ""};
    Result.push_back(Prefix[int(T.What)] + T.Text.str());
  }
  return Result;
}

std::string difference(llvm::StringRef A, llvm::StringRef B,
                       FpClass Class = FpClass::Reassociate) {
  return ReferenceOutput(A.str()).compare(B, Class).FirstDifference;
}

TEST(OutputCompareTest, NumbersAreFoundInText) {
  EXPECT_THAT(wordsOf("x=-1.5e-3, n: 42 12.5ms"),
              ElementsAre("x", "=", "r:-1.5e-3", ",", "n", ":", "i:42",
                          "r:12.5", "ms"));
  EXPECT_THAT(
      wordsOf("sm_90 v2 0x1f a-1 3-2"),
      ElementsAre("sm_90", "v2", "0x1f", "a", "-", "i:1", "i:3", "-", "i:2"));
  EXPECT_THAT(
      wordsOf("nan -inf nanny .5 1. end."),
      ElementsAre("r:nan", "r:-inf", "nanny", "r:.5", "r:1.", "end", "."));
  EXPECT_THAT(wordsOf("1,2\n3"), ElementsAre("i:1", ",", "i:2", "\n", "i:3"));
}

TEST(OutputCompareTest, WordsAndIntegersAreExact) {
  EXPECT_EQ(difference("PASS 10\n", "PASS   10\n"), "");
  EXPECT_THAT(difference("PASS\n", "FAIL\n"),
              HasSubstr("line 1: 'PASS' became 'FAIL'"));
  EXPECT_THAT(difference("a\ncount 10\n", "a\ncount 11\n"),
              HasSubstr("line 2: '10' became '11'"));
  EXPECT_THAT(difference("a\nb\n", "a\n"), HasSubstr("prints less"));
  EXPECT_THAT(difference("a\n", "a\nb\n"), HasSubstr("prints more"));
}

TEST(OutputCompareTest, RealsFollowTheFpClass) {
  EXPECT_EQ(difference("sum 1.000001", "sum 1.000002"), "");
  EXPECT_NE(difference("sum 1.000001", "sum 1.000002", FpClass::Exact), "");
  EXPECT_NE(difference("sum 1.001", "sum 1.101"), "");
  // %g drops the point of round numbers.
  EXPECT_EQ(difference("sum 2", "sum 2.00001"), "");
  EXPECT_NE(difference("sum 2", "sum 2.5"), "");
}

TEST(OutputCompareTest, LastPlaceMayFlipOnlyWhereItIsSmall) {
  EXPECT_EQ(difference("x 10.25", "x 10.26"), "");
  EXPECT_NE(difference("x 10.25", "x 10.27"), "");
  EXPECT_NE(difference("x 0.5", "x 0.6"), "");
}

TEST(OutputCompareTest, NanIsNeverEqualToANumber) {
  for (FpClass Class : {FpClass::Exact, FpClass::ReducedPrecision}) {
    EXPECT_THAT(difference("x 1.0", "x nan", Class),
                HasSubstr("'1.0' became 'nan'"));
    EXPECT_NE(difference("x nan", "x 1.0", Class), "");
    EXPECT_EQ(difference("x nan", "x nan", Class), "");
  }
  // Neither as an error figure nor among numbers that vary.
  EXPECT_NE(difference("max error 0.1", "max error nan"), "");
  ReferenceOutput Reference("x 0.5\n");
  Reference.addRun("x 0.7\n");
  EXPECT_FALSE(Reference.compare("x nan\n", FpClass::Approximate).equal());
  EXPECT_TRUE(ReferenceOutput("x -nan").hasNan());
  EXPECT_FALSE(ReferenceOutput("x 1").hasNan());
}

TEST(OutputCompareTest, InfinitiesMustBeTheSame) {
  EXPECT_EQ(difference("x inf", "x inf"), "");
  EXPECT_NE(difference("x inf", "x -inf"), "");
  EXPECT_NE(difference("x inf", "x 1e30"), "");
}

TEST(OutputCompareTest, TimesAndRatesAreLeftOut) {
  for (llvm::StringRef Line :
       {"Kernel took 1.5 ms", "Elapsed: 1.5", "time (s) = 1.5",
        "bandwidth 1.5 GB/s", "1.5 GFLOPS", "Average kernel time: 1.5 (us)",
        "15 ms", "speedup 1.5x"}) {
    std::string Other = Line.str();
    Other.replace(Other.find("1"), 1, "9");
    OutputComparison Result =
        ReferenceOutput(Line.str()).compare(Other, FpClass::Exact);
    EXPECT_TRUE(Result.equal()) << Line.str() << Result.FirstDifference;
    EXPECT_EQ(Result.IgnoredTimes, 1u) << Line.str();
  }
  // A step count beside the word time is none, nor what follows the time.
  EXPECT_NE(difference("time step 5", "time step 6"), "");
  EXPECT_NE(difference("time 1.5 s energy 2.5", "time 1.7 s energy 3.5"), "");
  EXPECT_NE(difference("allocated 64 MB", "allocated 65 MB"), "");
}

TEST(OutputCompareTest, NumbersThatVaryInTheOriginalAreLeftOut) {
  ReferenceOutput Reference("seed 17 sum 4.0\n");
  Reference.addRun("seed 18 sum 4.0\n");
  EXPECT_EQ(Reference.varyingNumbers(), 1u);
  OutputComparison Result =
      Reference.compare("seed 99 sum 4.0\n", FpClass::Exact);
  EXPECT_TRUE(Result.equal());
  EXPECT_EQ(Result.IgnoredVarying, 1u);
  EXPECT_FALSE(Reference.compare("seed 99 sum 5.0\n", FpClass::Exact).equal());
  EXPECT_FALSE(Reference.structureVaries());
}

TEST(OutputCompareTest, NanOfOneRunOfTheOriginalIsAllowed) {
  ReferenceOutput Reference("x 1.0 y 2.0\n");
  Reference.addRun("x nan y 3.0\n");
  EXPECT_TRUE(Reference.compare("x nan y 2.5\n", FpClass::Exact).equal());
  EXPECT_TRUE(Reference.compare("x 7.0 y 2.5\n", FpClass::Exact).equal());
  EXPECT_FALSE(Reference.compare("x 1.0 y nan\n", FpClass::Exact).equal());
}

TEST(OutputCompareTest, OutputOfAnotherShapeEachTimeIsNotComparable) {
  ReferenceOutput Reference("a b\n");
  Reference.addRun("a b c\n");
  EXPECT_TRUE(Reference.structureVaries());
  ReferenceOutput Words("a b\n");
  Words.addRun("a c\n");
  EXPECT_TRUE(Words.structureVaries());
}

TEST(OutputCompareTest, ErrorFiguresMayBeOfTheSameOrder) {
  EXPECT_EQ(difference("max error 1.2e-07", "max error 4.1e-07"), "");
  EXPECT_EQ(difference("L2 norm of difference 0.0", "L2 norm of difference "
                                                    "1.5e-06"),
            "");
  EXPECT_NE(difference("max error 1.2e-07", "max error 0.5"), "");
  EXPECT_NE(
      difference("max error 1.2e-07", "max error 4.1e-07", FpClass::Exact), "");
}

} // namespace
