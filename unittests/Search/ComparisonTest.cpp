//===- ComparisonTest.cpp - Which of two Variants is faster ---------------===//

#include "cudal1/Search/Comparison.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cudal1;

namespace {

Attempt attempt(double Speedup, double Spread,
                std::vector<std::string> Kernels = {"k"}) {
  Attempt A;
  A.Result.Outcome = Speedup > 1 ? Verdict::Faster : Verdict::Slower;
  A.Result.Speedup = Speedup;
  A.Result.SpeedupLow = Speedup / Spread;
  A.Result.SpeedupHigh = Speedup * Spread;
  A.Kernels = std::move(Kernels);
  return A;
}

void setTimes(Attempt &A, std::map<std::string, std::pair<double, double>> Ms) {
  A.Result.Original.emplace();
  A.Result.Variant.emplace();
  for (const auto &[Name, Pair] : Ms) {
    KernelTime T;
    T.Name = Name;
    T.Launches = 1;
    T.TotalMs = T.MedianMs = Pair.first;
    A.Result.Original->Kernels.push_back(T);
    T.TotalMs = T.MedianMs = Pair.second;
    A.Result.Variant->Kernels.push_back(T);
  }
}

TEST(Comparison, ClearlyFasterIsBetter) {
  Attempt Old = attempt(1.5, 1.005), New = attempt(2.0, 1.005);
  EXPECT_TRUE(isBetter(New, &Old));
  EXPECT_FALSE(isBetter(Old, &New));
}

TEST(Comparison, ADifferenceWithinTheNoiseIsNotBetter) {
  Attempt Old = attempt(1.50, 1.05), New = attempt(1.53, 1.05);
  EXPECT_FALSE(isBetter(New, &Old));
}

TEST(Comparison, LessThanOnePercentIsNotBetter) {
  Attempt Old = attempt(1.500, 1.0001), New = attempt(1.510, 1.0001);
  EXPECT_FALSE(isBetter(New, &Old));
}

Attempt onHost(double Speedup, double SpanMs) {
  Attempt A = attempt(Speedup, 1.005, {});
  A.What.Rewrites.emplace_back().Rule = "remove-sync";
  A.Result.Part = TimedPart::GpuSpan;
  A.Result.Original.emplace().GpuSpanMs = SpanMs;
  A.Result.Variant.emplace().GpuSpanMs = SpanMs / Speedup;
  return A;
}

TEST(Comparison, AGainOfTheHostIsComparedOverTheSpan) {
  // Eight times faster kernels, which take a tenth of the span.
  Attempt Kernels = attempt(8, 1.005);
  setTimes(Kernels, {{"k", {1.0, 0.125}}});
  Attempt Host = onHost(3, 10);
  EXPECT_TRUE(isBetter(Host, &Kernels));
  EXPECT_FALSE(isBetter(Kernels, &Host));
  EXPECT_NEAR(logGain(Kernels, &Host).Mean, std::log(10 / 9.125 / 3), 1e-9);
}

TEST(Comparison, WhereTheHostDoesTheSameTheKernelsTell) {
  Attempt Old = onHost(3, 10), New = onHost(3.02, 10);
  for (auto [A, Ms] : {std::pair(&Old, 1.0), std::pair(&New, 0.5)}) {
    A->Result.Original->Kernels = {{"k", "k", 1, 1.0, 1.0, 1.0, 1.0}};
    A->Result.Variant->Kernels = {{"k", "k", 1, Ms, Ms, Ms, Ms}};
  }
  EXPECT_NEAR(logGain(New, &Old).Mean, std::log(2), 1e-9);
}

TEST(Comparison, OnlyTheVerdictFasterBeatsTheOriginal) {
  Attempt New = attempt(1.2, 1.3);
  EXPECT_TRUE(isBetter(New, nullptr));
  New.Result.Outcome = Verdict::Ambiguous;
  EXPECT_FALSE(isBetter(New, nullptr));
  New.Result.Outcome = Verdict::WrongResult;
  EXPECT_FALSE(isBetter(New, nullptr));
}

TEST(Comparison, VariantsOfDifferentKernelsAreComparedOnBoth) {
  // `a` takes 90 ms and gains 1.2x; `b` takes 10 ms and gains 2x. Alone, `b`
  // looks better; for the program, `a` is.
  Attempt A = attempt(1.2, 1.001, {"a"}), B = attempt(2.0, 1.001, {"b"});
  setTimes(A, {{"a", {90, 75}}, {"b", {10, 10}}});
  setTimes(B, {{"a", {90, 90}}, {"b", {10, 5}}});
  EXPECT_NEAR(logGain(A, &B).Mean, std::log(95.0 / 85.0), 1e-9);
  EXPECT_TRUE(isBetter(A, &B));
}

TEST(Comparison, AKernelThatWasNotTimedIsAsSlowAsBefore) {
  // Replay times only what a variant touches. `a` became 25x faster; `b` 4x on
  // top of it is worth more than what the mean of the two suggests.
  Attempt Old = attempt(25, 1.001, {"a"});
  setTimes(Old, {{"a", {50, 2}}});
  Attempt New = attempt(100.0 / 14.5, 1.001, {"a", "b"});
  setTimes(New, {{"a", {50, 2}}, {"b", {50, 12.5}}});
  EXPECT_NEAR(logGain(New, &Old).Mean, std::log(52.0 / 14.5), 1e-9);
  EXPECT_TRUE(isBetter(New, &Old));
  EXPECT_FALSE(isBetter(Old, &New));
}

TEST(Comparison, OneThatIsSlowerInAnotherKernelIsNotBetter) {
  Attempt Old = attempt(25, 1.001, {"a"});
  setTimes(Old, {{"a", {50, 2}}});
  Attempt New = attempt(100.0 / 62.0, 1.001, {"a", "b"});
  setTimes(New, {{"a", {50, 2}}, {"b", {50, 60}}});
  EXPECT_EQ(New.Result.Outcome, Verdict::Faster);
  EXPECT_LT(logGain(New, &Old).Mean, 0);
  EXPECT_FALSE(isBetter(New, &Old));
}

} // namespace
