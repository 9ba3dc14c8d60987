//===- ReportTest.cpp - The report as JSON and for people -----------------===//

#include "cudal1/Report/Report.h"
#include "cudal1/Report/ProgressLine.h"
#include "cudal1/Report/TerminalReport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using testing::HasSubstr;
using testing::Not;

namespace {

RunTimes times(std::vector<std::pair<std::string, double>> Kernels,
               double WallMs) {
  RunTimes T;
  for (const auto &[Name, Ms] : Kernels) {
    KernelTime K;
    K.Name = Name;
    K.TotalMs = K.MedianMs = Ms;
    K.Launches = 1;
    T.Kernels.push_back(K);
    T.KernelMs += Ms;
  }
  T.WallMs = WallMs;
  return T;
}

Rewrite rewrite(const char *Rule, RewriteParams Params = {}) {
  Rewrite R;
  R.Rule = Rule;
  R.Kernel = "matmul";
  R.File = "/src/matmul.cu";
  R.Line = 12;
  R.Params = std::move(Params);
  R.Description = "keep C[i] in a register";
  R.Evidence = {"C is written only at i"};
  return R;
}

Attempt attempt(std::vector<Rewrite> Rewrites, Verdict Outcome,
                std::optional<double> Speedup) {
  Attempt A;
  A.What.Rewrites = std::move(Rewrites);
  A.Result.Outcome = Outcome;
  A.Result.Speedup = Speedup;
  return A;
}

UnitReport fasterUnit() {
  UnitReport U;
  U.File = "/src/matmul.cu";
  U.Result = UnitResult::Faster;
  U.Engine = "program";
  U.Original = times({{"_Z6matmulPfPfS_i", 1.086}}, 500);
  U.Best = times({{"_Z6matmulPKfPfS_i", 0.350}}, 498);
  U.Speedup = 3.103;
  U.SpeedupLow = 3.08;
  U.SpeedupHigh = 3.12;
  U.Rewrites = {rewrite("scalar-replacement"),
                rewrite("unroll-loop", {{"factor", 4}})};
  U.Kernels = compareKernels(U.Original, U.Best);
  Attempt Taken = attempt(U.Rewrites, Verdict::Faster, 3.103);
  std::vector<Attempt> All = {
      attempt({rewrite("scalar-replacement")}, Verdict::Faster, 2.9), Taken,
      attempt({rewrite("fast-math")}, Verdict::WrongResult, std::nullopt)};
  All[2].Result.Evidence = {"run before timing:",
                            "C[7] is 1.5 instead of 1.25"};
  U.Variants = explainAttempts(All, &Taken);
  U.VariantsTried = 3;
  U.SearchEnd = "nothing more was worth trying";
  return U;
}

std::string printed(const UnitReport &U, TerminalStyle Style = {}) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  OS.enable_colors(true);
  printReport(U, "NVIDIA H200", Style, OS);
  return Text;
}

TEST(JsonReport, HasTheKeysThatReadersRelyOn) {
  Report R{"0.1.0", "NVIDIA H200", {fasterUnit()}};
  llvm::json::Value V = toJSON(R);
  const llvm::json::Object &Top = *V.getAsObject();
  EXPECT_EQ(Top.getString("tool_version"), "0.1.0");
  EXPECT_EQ(Top.getString("gpu"), "NVIDIA H200");
  EXPECT_EQ(Top.getString("engine"), "program");
  const llvm::json::Object &Unit = *(*Top.getArray("units"))[0].getAsObject();
  EXPECT_EQ(Unit.getString("verdict"), "faster");
  EXPECT_EQ(Unit.getObject("original")->getNumber("gpu_ms"), 1.086);
  EXPECT_EQ(Unit.getObject("best")->getNumber("wall_ms"), 498);
  EXPECT_EQ(Unit.getNumber("speedup"), 3.103);
  EXPECT_EQ(Unit.getNumber("ci_low"), 3.08);
  EXPECT_EQ(Unit.getInteger("variants_tried"), 3);
  const llvm::json::Object &R1 = *(*Unit.getArray("rewrites"))[1].getAsObject();
  EXPECT_EQ(R1.getString("rule"), "unroll-loop");
  EXPECT_EQ(R1.getObject("params")->getInteger("factor"), 4);
  EXPECT_EQ(R1.getString("fp_class"), "exact");
  const llvm::json::Object &K = *(*Unit.getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(K.getString("name"), "matmul");
  EXPECT_EQ(K.getNumber("original_ms"), 1.086);
  EXPECT_EQ(K.getNumber("best_ms"), 0.350);
  EXPECT_EQ(K.getNumber("share"), 1.0);
  const llvm::json::Object &Lost =
      *(*Unit.getArray("variants"))[2].getAsObject();
  EXPECT_EQ(Lost.getString("verdict"), "wrong-result");
  EXPECT_EQ(Lost.getString("reason"), "C[7] is 1.5 instead of 1.25");
}

TEST(JsonReport, HoldsNoFigureThatWasNotMeasured) {
  UnitReport U;
  U.File = "/src/a.cu";
  U.Result = UnitResult::NotTimed;
  U.Rewrites = {rewrite("scalar-replacement")};
  llvm::json::Value V = toJSON({"0.1.0", "", {U}});
  const llvm::json::Object &Top = *V.getAsObject();
  EXPECT_TRUE(Top.get("gpu")->getAsNull());
  EXPECT_TRUE(Top.get("engine")->getAsNull());
  const llvm::json::Object &Unit = *(*Top.getArray("units"))[0].getAsObject();
  EXPECT_EQ(Unit.getString("verdict"), "not-timed");
  for (const char *Key : {"original", "best", "speedup", "ci_low", "ci_high"})
    EXPECT_FALSE(Unit.get(Key)) << Key;
}

TEST(JsonReport, IsValidForNamesThatAreNoUtf8) {
  UnitReport U;
  U.File = "/src/\xff.cu";
  U.Messages = {"bad \xc3"};
  std::string Text = llvm::formatv("{0}", toJSON({"0.1.0", "", {U}}));
  EXPECT_TRUE(bool(llvm::json::parse(Text)));
}

TEST(CompareKernels, FindsAKernelWhoseParametersBecameConst) {
  auto Kernels = compareKernels(times({{"_Z1aPf", 1}, {"_Z1bPf", 3}}, 1),
                                times({{"_Z1bPKf", 2}, {"_Z1aPf", 1}}, 1));
  ASSERT_EQ(Kernels.size(), 2u);
  EXPECT_EQ(Kernels[0].Name, "b");
  EXPECT_EQ(Kernels[0].BestMs, 2);
  EXPECT_EQ(Kernels[0].Share, 0.75);
}

TEST(TerminalReport, ShowsTimesRewritesAndWhyOthersLost) {
  std::string Text = printed(fasterUnit());
  EXPECT_THAT(Text, HasSubstr("matmul.cu: faster 3.10x, 2 rewrites"));
  EXPECT_THAT(Text, HasSubstr("1.09 ms"));
  EXPECT_THAT(Text, HasSubstr("350 µs"));
  EXPECT_THAT(Text, HasSubstr("unroll-loop[factor=4]"));
  EXPECT_THAT(Text, HasSubstr("C[7] is 1.5 instead of 1.25"));
  EXPECT_THAT(Text, HasSubstr("tried 3 variants"));
}

TEST(TerminalReport, SaysWhichKernelsASpeedupIsOf) {
  UnitReport U = fasterUnit();
  U.Original = times({{"_Z6matmulPfPfS_i", 1.0}, {"_Z4copyPf", 3.0}}, 500);
  U.Best = times({{"_Z6matmulPfPfS_i", 0.25}, {"_Z4copyPf", 3.0}}, 500);
  U.Original->KernelMs = 4;
  U.Best->KernelMs = 3.25;
  U.Kernels = compareKernels(U.Original, U.Best);
  std::string Text = printed(U);
  EXPECT_THAT(Text, HasSubstr("faster 3.10x in 1 of 2 kernels, 2 rewrites"));
  EXPECT_THAT(Text, HasSubstr("all kernels"));
  EXPECT_THAT(Text, HasSubstr("1.23x"));
}

TEST(TerminalReport, PrintsNoTimesWhenNothingWasTimed) {
  UnitReport U;
  U.File = "/src/a.cu";
  U.Result = UnitResult::NotTimed;
  U.Rewrites = {rewrite("scalar-replacement")};
  U.Messages = {"not timed: no CUDA driver"};
  std::string Text = printed(U);
  EXPECT_THAT(Text, HasSubstr("a.cu: 1 rewrite, not timed"));
  EXPECT_THAT(Text, Not(HasSubstr(" ms")));
  EXPECT_THAT(Text, Not(HasSubstr("engine")));
}

TEST(TerminalReport, UsesColorOnlyWhenAsked) {
  EXPECT_THAT(printed(fasterUnit()), Not(HasSubstr("\033")));
  EXPECT_THAT(printed(fasterUnit(), {/*Color=*/true, false}),
              HasSubstr("\033"));
}

TEST(FormatMs, TakesAFittingUnitAndThreeDigits) {
  EXPECT_EQ(formatMs(0.0123), "12.3 µs");
  EXPECT_EQ(formatMs(1.0861), "1.09 ms");
  EXPECT_EQ(formatMs(99.96), "100 ms");
  EXPECT_EQ(formatMs(12345), "12.3 s");
}

class Progress : public testing::Test {
protected:
  std::string follow(ProgressLine::Mode Mode) {
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    ProgressLine Line(OS, Mode, {60, 100}, [] { return 0.0; });
    Line.compiling(4);
    Attempt A = attempt({rewrite("fast-math")}, Verdict::WrongResult, {});
    A.Result.Evidence = {"C[7] is 1.5 instead of 1.25"};
    Line.measured(A, 1);
    Line.clear();
    return Text;
  }
};

TEST_F(Progress, IsOneLineRewrittenInPlace) {
  std::string Text = follow(ProgressLine::Mode::InPlace);
  EXPECT_THAT(Text, HasSubstr("wrong-result: fast-math"));
  EXPECT_THAT(Text, Not(HasSubstr("\n")));
}

TEST_F(Progress, IsALineForEachVariantWhenAsked) {
  EXPECT_EQ(follow(ProgressLine::Mode::EachVariant),
            "  1. wrong-result: fast-math\n"
            "     C[7] is 1.5 instead of 1.25\n");
}

TEST_F(Progress, IsSilentOtherwise) {
  EXPECT_EQ(follow(ProgressLine::Mode::Silent), "");
}

} // namespace
