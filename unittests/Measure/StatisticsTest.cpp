//===- StatisticsTest.cpp - Is one program faster than another? -----------===//

#include "cudal1/Measure/Statistics.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>
#include <map>
#include <random>

using namespace cudal1;

namespace {

/// The noise of one run: a factor on its time, given how many ran before.
using Noise = std::function<double(std::mt19937_64 &, unsigned)>;

double normal(std::mt19937_64 &Random, double Deviation) {
  return std::normal_distribution<double>(0, Deviation)(Random);
}

bool chance(std::mt19937_64 &Random, double Probability) {
  return std::bernoulli_distribution(Probability)(Random);
}

const std::map<std::string, Noise> &noises() {
  static const std::map<std::string, Noise> All = {
      {"quiet",
       [](std::mt19937_64 &R, unsigned) { return 1 + normal(R, 0.001); }},
      {"normal, 1 %",
       [](std::mt19937_64 &R, unsigned) { return 1 + normal(R, 0.01); }},
      {"drift of 0.5 % a run, 0.5 % noise",
       [](std::mt19937_64 &R, unsigned Run) {
         return (1 + 0.005 * Run) * (1 + normal(R, 0.005));
       }},
      {"two modes 3 % apart",
       [](std::mt19937_64 &R, unsigned) {
         return (chance(R, 0.3) ? 1.03 : 1.0) * (1 + normal(R, 0.002));
       }},
      {"one run in twenty takes 30 % longer",
       [](std::mt19937_64 &R, unsigned) {
         return (chance(R, 0.05) ? 1.3 : 1.0) * (1 + normal(R, 0.004));
       }},
      {"a clock that wanders",
       [](std::mt19937_64 &R, unsigned Run) {
         return (1 + 0.03 * std::sin(Run / 7.0)) * (1 + normal(R, 0.003));
       }},
  };
  return All;
}

/// Runs pairs in the order that the engine does until there is a verdict.
Verdict simulate(std::mt19937_64 &Random, const Noise &N, double TrueSpeedup,
                 unsigned &Pairs) {
  PairedComparison Comparison{StoppingRule()};
  unsigned Run = 0;
  for (Pairs = 1;; ++Pairs) {
    bool OriginalFirst = Pairs % 2;
    double First = N(Random, Run++), Second = N(Random, Run++);
    double Original = OriginalFirst ? First : Second;
    double Variant = (OriginalFirst ? Second : First) / TrueSpeedup;
    Comparison.addPair(Original, Variant);
    if (std::optional<Verdict> V = Comparison.decide())
      return *V;
  }
}

unsigned countOf(Verdict Wanted, const Noise &N, double TrueSpeedup,
                 unsigned Trials, double &MeanPairs) {
  std::mt19937_64 Random(12345);
  unsigned Count = 0;
  MeanPairs = 0;
  for (unsigned I = 0; I < Trials; ++I) {
    unsigned Pairs;
    Count += simulate(Random, N, TrueSpeedup, Pairs) == Wanted;
    MeanPairs += double(Pairs) / Trials;
  }
  return Count;
}

constexpr unsigned Trials = 1000;

TEST(StatisticsTest, EqualProgramsAreTheSame99TimesInAHundred) {
  for (const auto &[Name, N] : noises()) {
    double Pairs;
    unsigned Same = countOf(Verdict::Same, N, 1.0, Trials, Pairs);
    EXPECT_GE(Same, Trials * 99 / 100) << Name;
    RecordProperty("pairs, " + Name, std::to_string(Pairs));
  }
}

TEST(StatisticsTest, ThreePercentAreFound95TimesInAHundred) {
  for (const auto &[Name, N] : noises()) {
    double Pairs;
    EXPECT_GE(countOf(Verdict::Faster, N, 1.03, Trials, Pairs),
              Trials * 95 / 100)
        << Name;
    EXPECT_GE(countOf(Verdict::Slower, N, 1 / 1.03, Trials, Pairs),
              Trials * 95 / 100)
        << Name;
  }
}

TEST(StatisticsTest, LargeGainIsDecidedByTwoPairs) {
  for (const auto &[Name, N] : noises()) {
    if (Name != "quiet" && Name != "normal, 1 %")
      continue;
    double Pairs;
    EXPECT_EQ(countOf(Verdict::Faster, N, 3.0, Trials, Pairs), Trials) << Name;
    EXPECT_LT(Pairs, 2.5) << Name;
  }
}

TEST(StatisticsTest, HopelesslySlowVariantIsGivenUpAfterOnePair) {
  PairedComparison Comparison{StoppingRule()};
  Comparison.addPair(1.0, 1.6);
  EXPECT_EQ(Comparison.decide(), Verdict::Slower);
}

TEST(StatisticsTest, NoiseThatHidesTheAnswerIsAmbiguous) {
  std::mt19937_64 Random(1);
  PairedComparison Comparison{StoppingRule()};
  std::optional<Verdict> V;
  unsigned Pairs = 0;
  while (!V) {
    Comparison.addPair(1 + 0.2 * std::abs(normal(Random, 1)),
                       1 + 0.2 * std::abs(normal(Random, 1)));
    V = Comparison.decide();
    ++Pairs;
  }
  EXPECT_EQ(*V, Verdict::Ambiguous);
  EXPECT_EQ(Pairs, StoppingRule().MaxPairs);
}

TEST(StatisticsTest, OnePairDecidesNothing) {
  PairedComparison Comparison{StoppingRule()};
  Comparison.addPair(1.2, 1.0);
  EXPECT_EQ(Comparison.decide(), std::nullopt);
  EXPECT_EQ(Comparison.decideNow(), Verdict::Ambiguous);
}

TEST(StatisticsTest, IntervalHoldsTheTruthAboutAsOftenAsItSays) {
  std::mt19937_64 Random(7);
  unsigned Inside = 0;
  for (unsigned I = 0; I < Trials; ++I) {
    PairedComparison Comparison{StoppingRule()};
    for (int Pair = 0; Pair < 8; ++Pair)
      Comparison.addPair(1.1 * std::exp(normal(Random, 0.01)),
                         std::exp(normal(Random, 0.01)));
    SpeedupEstimate E = Comparison.estimate();
    Inside += E.Low < 1.1 && 1.1 < E.High;
  }
  EXPECT_GE(Inside, Trials * 93 / 100);
}

TEST(StatisticsTest, OutliersAreLeftOutAndCounted) {
  PairedComparison Comparison{StoppingRule()};
  for (double Original : {1.050, 1.051, 1.049, 1.050, 1.052, 1.048, 1.050, 3.0})
    Comparison.addPair(Original, 1.0);
  SpeedupEstimate E = Comparison.estimate();
  EXPECT_EQ(E.Outliers, 1u);
  EXPECT_NEAR(E.Speedup, 1.05, 0.001);
}

TEST(StatisticsTest, QuantilesAreStudents) {
  EXPECT_NEAR(studentQuantile(0.95, 1), 12.706, 0.001);
  EXPECT_NEAR(studentQuantile(0.95, 9), 2.262, 0.001);
  EXPECT_NEAR(studentQuantile(0.99, 4), 4.604, 0.001);
  EXPECT_NEAR(studentQuantile(0.95, 1000), 1.962, 0.001);
}

TEST(StatisticsTest, MedianOfFewValues) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({4, 1}), 2.5);
  EXPECT_EQ(median({9, 1, 5}), 5);
}

} // namespace
