//===- RewardTest.cpp - Rewards and exemplars -----------------------------===//

#include "cudal1/Train/Reward.h"
#include "SyntheticRecord.h"
#include "cudal1/Train/Exemplars.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace cudal1;

namespace {

class Reward : public testing::Test {
protected:
  Reward() : K(SyntheticKernel("alpha", 0).make(2)), E(K) {
    Rules.Measurement = Rules.Bottleneck = Rules.Length = Rules.Growth = 0;
  }
  ChoiceReport report(Outcome Verdict, double Gain) {
    ChoiceReport Report;
    Report.From = E.root();
    Report.Measured = StepResult{E.lead(E.root(), 0), Verdict, Gain, 0, 0};
    Report.Gain = Gain;
    return Report;
  }

  RecordedKernel K;
  RecordedEnvironment E;
  RewardRules Rules;
};

TEST_F(Reward, IsTheLog2OfWhatWasGained) {
  EXPECT_NEAR(rewardOf(report(Outcome::Faster, std::log(2)), E, Rules), 1,
              1e-9);
  EXPECT_EQ(rewardOf(report(Outcome::Slower, 0), E, Rules), 0);
}

TEST_F(Reward, TakesAmbiguousForNothing) {
  EXPECT_EQ(rewardOf(report(Outcome::Ambiguous, 0.5), E, Rules), 0);
}

TEST_F(Reward, PunishesFailures) {
  for (Outcome O : {Outcome::WrongResult, Outcome::CompileError,
                    Outcome::RunError, Outcome::Timeout})
    EXPECT_EQ(rewardOf(report(O, 0), E, Rules), -Rules.Failure);
}

TEST_F(Reward, OfStoppingIsNothing) {
  EXPECT_EQ(rewardOf(ChoiceReport(), E, Rules), 0);
}

TEST_F(Reward, SwitchesTermsOnByTheirWeights) {
  double Plain = rewardOf(report(Outcome::Faster, 0.5), E, Rules);
  Rules.Length = 0.1;
  EXPECT_NEAR(rewardOf(report(Outcome::Faster, 0.5), E, Rules), Plain - 0.1,
              1e-9);
  Rules.Length = 0;
  Rules.Growth = 0.1; // one statement more of ten
  EXPECT_LT(rewardOf(report(Outcome::Faster, 0.5), E, Rules), Plain);
}

TEST_F(Reward, KnowsWhatTheProfileNames) {
  NamedValues Few = {{"occupancy", 0.5}, {"blocksPerMultiprocessor", 0.5}};
  NamedValues Many = {{"occupancy", 0.5}, {"blocksPerMultiprocessor", 4}};
  EXPECT_EQ(bottleneckOf(Few), Bottleneck::Parallelism);
  EXPECT_TRUE(hasMovedBottleneck(Few, Many));
  EXPECT_FALSE(hasMovedBottleneck(Few, Few));
  NamedValues Spills = {{"occupancy", 0.5}, {"spilledBytes", 64}};
  NamedValues None = {{"occupancy", 0.5}, {"spilledBytes", 0}};
  EXPECT_TRUE(hasMovedBottleneck(Spills, None));
  EXPECT_EQ(bottleneckOf({}), Bottleneck::None);
  EXPECT_FALSE(hasMovedBottleneck(Few, {}));
}

TEST_F(Reward, ReturnsAreWhatIsStillToCome) {
  EXPECT_EQ(returnsOf({1, 0, 4}, 0.5), (std::vector<double>{2, 2, 4}));
}

TEST_F(Reward, GroupsAreNormalizedAndClipped) {
  std::vector<double> Values = normalizeGroup({0, 0, 0, 0, 0, 0, 9}, 1.5);
  EXPECT_DOUBLE_EQ(Values.back(), 1.5);
  EXPECT_LT(Values.front(), 0);
  EXPECT_EQ(normalizeGroup({2, 2, 2}, 1.5), (std::vector<double>{0, 0, 0}));
  EXPECT_TRUE(normalizeGroup({}, 1.5).empty());
}

TEST_F(Reward, LooksTwiceAtWhatIsTooGood) {
  EXPECT_TRUE(needsSecondLook(std::log(3.1), std::log(2.9)));
  EXPECT_TRUE(needsSecondLook(std::log(2.5), std::log(1.2)));
  EXPECT_FALSE(needsSecondLook(std::log(2.5), std::log(1.3)));
}

TEST(Exemplars, ComeFromDifferentBuckets) {
  std::vector<double> Speedups = {0, 0.01, 0.02, 0.03, 1.0, 1.01, 2.0};
  Random R(3);
  for (int N = 0; N < 50; ++N) {
    std::vector<size_t> Drawn = sampleExemplars(Speedups, 2, {}, R);
    ASSERT_EQ(Drawn.size(), 2U);
    EXPECT_GT(std::abs(Speedups[Drawn[0]] - Speedups[Drawn[1]]), 0.5);
  }
  EXPECT_EQ(sampleExemplars(Speedups, 9, {}, R).size(), 3U);
  EXPECT_TRUE(sampleExemplars({}, 2, {}, R).empty());
}

TEST(Exemplars, FavourTheFaster) {
  std::vector<double> Speedups(100, 0.0);
  Speedups.push_back(1.0);
  Random R(4);
  unsigned Fast = 0, FastEvenly = 0;
  ExemplarRules Evenly;
  Evenly.Uniform = true;
  for (int N = 0; N < 400; ++N) {
    Fast += sampleExemplars(Speedups, 1, {}, R)[0] == 100;
    FastEvenly += sampleExemplars(Speedups, 1, Evenly, R)[0] == 100;
  }
  // exp(1 ÷ 0.5) against 1.
  EXPECT_NEAR(Fast / 400.0, 0.88, 0.06);
  EXPECT_LT(FastEvenly, 20U);
}

TEST(Chance, IsTheSameFromTheSameSeed) {
  Random A = Random::of(1, "x", 2, 3), B = Random::of(1, "x", 2, 3);
  Random Other = Random::of(1, "x", 3, 3);
  EXPECT_EQ(A.unit(), B.unit());
  EXPECT_NE(A.unit(), Other.unit());
  std::vector<size_t> Order = Random(5).order(20);
  std::sort(Order.begin(), Order.end());
  for (size_t I = 0; I < 20; ++I)
    EXPECT_EQ(Order[I], I);
}

TEST(Chance, DrawsNothingOfWeightZero) {
  Random R(6);
  for (int N = 0; N < 200; ++N)
    EXPECT_EQ(R.weighted({0, 1, 0}), 1U);
}

} // namespace
