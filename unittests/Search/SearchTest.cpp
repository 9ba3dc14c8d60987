//===- SearchTest.cpp - The three searches over a made-up space -----------===//

#include "FakeProblem.h"
#include "cudal1/Search/ExhaustiveSearch.h"
#include "cudal1/Search/GreedySearch.h"
#include "cudal1/Search/RandomSearch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using namespace cudal1::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::string bestOf(const SearchOutcome &O) {
  return O.Best ? O.Best->What.str() : "original";
}

SearchOutcome greedy(FakeProblem &P, SearchContext C) {
  FlatPolicy Flat;
  return GreedySearch(Flat).run(P, C);
}

TEST(GreedySearch, KeepsTheOriginalWhenNothingIsFaster) {
  FakeProblem P({{"k", 10}});
  P.add({"unroll", "k", {{"factor", 2}}, 0.9});
  P.add({"hoist", "k", {}, 1.001});
  FakeClock Clock;
  SearchOutcome O = greedy(P, Clock.context());
  EXPECT_FALSE(O.Best);
  EXPECT_EQ(O.Attempts.size(), 2u);
  EXPECT_EQ(O.End, SearchEnd::Exhausted);
}

TEST(GreedySearch, BuildsOnTheBestAndFindsWhatItMadePossible) {
  FakeProblem P({{"k", 10}});
  P.add({"scalar", "k", {}, 2.0});
  P.add({"unroll", "k", {{"factor", 4}}, 1.5, Verdict::Same, "scalar"});
  P.add({"pad", "k", {}, 0.5});
  FakeClock Clock;
  SearchOutcome O = greedy(P, Clock.context());
  EXPECT_EQ(bestOf(O), "scalar, unroll[4]");
  EXPECT_NEAR(*O.Best->Result.Speedup, 3.0, 1e-9);
}

TEST(GreedySearch, TakesTheBestChoiceOfASite) {
  FakeProblem P({{"k", 10}});
  P.add({"unroll", "k", {{"factor", 2}}, 1.2});
  P.add({"unroll", "k", {{"factor", 4}}, 1.6});
  P.add({"unroll", "k", {{"factor", 8}}, 1.4});
  FakeClock Clock;
  EXPECT_EQ(bestOf(greedy(P, Clock.context())), "unroll[4]");
}

TEST(GreedySearch, CombinesWinnersOfDifferentKernelsInOneRound) {
  FakeProblem P({{"a", 10}, {"b", 5}});
  P.add({"scalar", "a", {}, 2.0});
  P.add({"hoist", "b", {}, 1.5});
  FakeClock Clock;
  SearchOutcome O = greedy(P, Clock.context());
  EXPECT_EQ(bestOf(O), "scalar, hoist");
  EXPECT_EQ(O.Attempts.size(), 3u) << "two singles and their combination";
}

TEST(GreedySearch, NeverKeepsAFailedVariant) {
  FakeProblem P({{"k", 10}});
  P.add({"wrong", "k", {}, 9.0, Verdict::WrongResult});
  P.add({"hang", "k", {}, 9.0, Verdict::Timeout});
  P.add({"refused", "k", {}, 9.0, Verdict::CompileError});
  P.add({"good", "k", {}, 1.1});
  FakeClock Clock;
  EXPECT_EQ(bestOf(greedy(P, Clock.context())), "good");
}

TEST(GreedySearch, LeavesKernelsAloneThatTakeNoTime) {
  FakeProblem P({{"hot", 1000}, {"cold", 1}});
  P.add({"hoist", "cold", {}, 2.0});
  P.add({"scalar", "hot", {}, 2.0});
  FakeClock Clock;
  greedy(P, Clock.context());
  EXPECT_THAT(P.Measured, ElementsAre("scalar"));
}

TEST(GreedySearch, TriesTheKernelWithMoreTimeFirst) {
  FakeProblem P({{"small", 10}, {"big", 90}});
  P.add({"hoist", "small", {}, 1.0});
  P.add({"scalar", "big", {}, 1.0});
  FakeClock Clock;
  greedy(P, Clock.context());
  EXPECT_THAT(P.Measured, ElementsAre("scalar", "hoist"));
}

TEST(GreedySearch, StopsWhenTheTimeIsUpAndKeepsTheBestSoFar) {
  FakeProblem P({{"k", 10}});
  P.add({"first", "k", {}, 1.5});
  P.add({"second", "k", {}, 2.0});
  P.add({"third", "k", {}, 4.0});
  FakeClock Clock;
  P.OnMeasure = [&] { Clock.Seconds += 10; };
  SearchOutcome O = greedy(P, Clock.context(/*Budget=*/15));
  EXPECT_EQ(O.End, SearchEnd::OutOfTime);
  EXPECT_EQ(O.Attempts.size(), 2u);
  EXPECT_EQ(bestOf(O), "second");
}

TEST(GreedySearch, MeasuresNoMoreVariantsThanAllowed) {
  FakeProblem P({{"k", 10}});
  for (int I = 0; I < 20; ++I)
    P.add({"rule" + std::to_string(I), "k", {}, 1.1});
  FakeClock Clock;
  SearchOutcome O = greedy(P, Clock.context(1000, /*MaxVariants=*/7));
  EXPECT_EQ(O.End, SearchEnd::OutOfTrials);
  EXPECT_EQ(P.Measured.size(), 7u);
  EXPECT_TRUE(O.Best);
}

TEST(GreedySearch, AnInterruptKeepsTheBestSoFar) {
  FakeProblem P({{"k", 10}});
  for (int I = 0; I < 5; ++I)
    P.add({"rule" + std::to_string(I), "k", {}, 1.5 + I});
  std::atomic<bool> Stop = false;
  P.OnMeasure = [&] { Stop = P.Measured.size() == 3; };
  FakeClock Clock;
  SearchContext C = Clock.context();
  C.Stop = &Stop;
  SearchOutcome O = greedy(P, C);
  EXPECT_EQ(O.End, SearchEnd::Interrupted);
  EXPECT_EQ(bestOf(O), "rule1") << "the third measurement was cut short";
}

TEST(GreedySearch, AnInterruptOfTheLastMeasurementIsNotTakenForTheEnd) {
  FakeProblem P({{"k", 10}});
  P.add({"only", "k", {}, 1.5});
  std::atomic<bool> Stop = false;
  P.OnMeasure = [&] { Stop = true; };
  FakeClock Clock;
  SearchContext C = Clock.context();
  C.Stop = &Stop;
  EXPECT_EQ(greedy(P, C).End, SearchEnd::Interrupted);
}

TEST(GreedySearch, SurvivesARewriteThatDoesNotParse) {
  FakeProblem P({{"k", 10}});
  P.add({"broken", "k", {}, 3.0});
  P.Unparsable.insert("broken");
  FakeClock Clock;
  SearchOutcome O = greedy(P, Clock.context());
  // The user's compiler took it and it was right: it stays the best.
  EXPECT_EQ(bestOf(O), "broken");
}

TEST(GreedySearch, CompilesABatchAheadOfMeasuring) {
  FakeProblem P({{"k", 10}});
  for (int I = 0; I < 4; ++I)
    P.add({"rule" + std::to_string(I), "k", {}, 0.9});
  FakeClock Clock;
  greedy(P, Clock.context());
  EXPECT_EQ(P.CompiledAhead, 4u);
}

/// Finds nothing worth doing.
class StoppingPolicy : public Policy {
public:
  llvm::StringRef name() const override { return "stop"; }
  PolicyScores score(const PolicyState &State) const override {
    return {std::vector<double>(State.Actions.size(), 0.5), 0.5};
  }
};

TEST(GreedySearch, MeasuresNothingThatThePolicyScoresNoBetterThanStopping) {
  FakeProblem P({{"k", 10}});
  P.add({"scalar", "k", {}, 2.0});
  FakeClock Clock;
  StoppingPolicy Stop;
  SearchOutcome O = GreedySearch(Stop).run(P, Clock.context());
  EXPECT_TRUE(P.Measured.empty());
  EXPECT_EQ(O.End, SearchEnd::Exhausted);
}

/// Keeps the states that it was shown.
class WatchingPolicy : public FlatPolicy {
public:
  PolicyScores score(const PolicyState &State) const override {
    std::string Seen;
    for (const Exemplar &E : State.Exemplars)
      Seen += E.Rewrites.back().Rule + (E.Failed ? "!" : "") + " ";
    Shown.push_back(Seen);
    return FlatPolicy::score(State);
  }
  mutable std::vector<std::string> Shown;
};

TEST(GreedySearch, ShowsThePolicyWhatWasMeasuredOfTheKernel) {
  FakeProblem P({{"k", 10}});
  P.add({"good", "k", {}, 2.0});
  P.add({"wrong", "k", {}, 1.0, Verdict::WrongResult});
  FakeClock Clock;
  WatchingPolicy Watching;
  GreedySearch(Watching).run(P, Clock.context());
  EXPECT_THAT(Watching.Shown,
              ElementsAre("", "good wrong! ", "good wrong! wrong! "));
}

TEST(GreedySearch, ABatchIsNotOneSitesChoicesAlone) {
  FakeProblem P({{"k", 10}});
  for (int I = 0; I < 30; ++I)
    P.add({"many", "k", {{"factor", I}}, 0.9});
  P.add({"one", "k", {}, 2.0});
  FakeClock Clock;
  SearchContext C = Clock.context();
  C.Budget.MaxVariants = 12;
  EXPECT_EQ(bestOf(greedy(P, C)), "one");
}

TEST(GreedySearch, StepsOnHostCodeAreABatchOfTheirOwn) {
  FakeProblem P({{"k", 1}, {"", 9}}); // 1 of 10 is the kernel's
  P.KernelShare = 0.1;
  P.add({"host", "", {}, 2.0});
  P.add({"then", "", {}, 2.0, Verdict::Same, "host"});
  P.add({"tile", "k", {}, 1.5});
  FakeClock Clock;
  greedy(P, Clock.context());
  ASSERT_GE(P.Measured.size(), 3u);
  EXPECT_EQ(P.Measured[0], "host");
  EXPECT_EQ(P.Measured[1], "host, then");
  // Where kernels are all there is, they come first.
  FakeProblem Q({{"k", 10}});
  Q.add({"tile", "k", {}, 1.5});
  Q.add({"host", "", {}, 2.0});
  greedy(Q, Clock.context());
  EXPECT_EQ(Q.Measured.front(), "tile");
}

/// Thinks much of one rule until it has failed.
class LearningPolicy : public Policy {
public:
  llvm::StringRef name() const override { return "learning"; }
  PolicyScores score(const PolicyState &State) const override {
    PolicyScores Result;
    for (const Action &A : State.Actions)
      Result.Actions.push_back(
          A.Where->TheRule->name() == "many" && State.Exemplars.empty() ? 10
                                                                        : 1);
    return Result;
  }
};

TEST(GreedySearch, TheNextBatchFollowsWhatWasMeasured) {
  FakeProblem P({{"k", 10}});
  for (int I = 0; I < 30; ++I)
    P.add({"many", "k", {{"factor", I}}, 0.9});
  P.add({"one", "k", {}, 2.0});
  FakeClock Clock;
  SearchContext C = Clock.context();
  C.Budget.MaxVariants = 13;
  EXPECT_EQ(bestOf(GreedySearch(LearningPolicy()).run(P, C)), "one");
}

TEST(ExhaustiveSearch, MeasuresEveryCombinationOnce) {
  FakeProblem P({{"k", 10}});
  P.add({"a", "k", {}, 1.1});
  P.add({"b", "k", {}, 0.8});
  P.add({"c", "k", {}, 1.2});
  FakeClock Clock;
  SearchOutcome O = ExhaustiveSearch().run(P, Clock.context());
  // Order counts in this space's text: 3 + 3*2 + 3*2*1.
  EXPECT_EQ(O.Attempts.size(), 15u);
  EXPECT_EQ(O.End, SearchEnd::Exhausted);
  ASSERT_TRUE(O.Best);
  EXPECT_NEAR(*O.Best->Result.Speedup, 1.32, 1e-6);
}

TEST(ExhaustiveSearch, BuildsOnNothingThatFailed) {
  FakeProblem P({{"k", 10}});
  P.add({"wrong", "k", {}, 1.0, Verdict::WrongResult});
  P.add({"good", "k", {}, 1.5});
  FakeClock Clock;
  ExhaustiveSearch().run(P, Clock.context());
  EXPECT_THAT(P.Measured, ElementsAre("wrong", "good", "good, wrong"));
}

TEST(RandomSearch, GivesTheSameForTheSameSeed) {
  auto Run = [](uint64_t Seed) {
    FakeProblem P({{"k", 10}});
    for (int I = 0; I < 6; ++I)
      P.add({"rule" + std::to_string(I), "k", {}, 1.0 + 0.1 * I});
    FakeClock Clock;
    SearchContext C = Clock.context(1000, 10);
    C.Seed = Seed;
    RandomSearch().run(P, C);
    return P.Measured;
  };
  EXPECT_EQ(Run(7), Run(7));
  EXPECT_NE(Run(7), Run(8));
}

TEST(RandomSearch, EndsWhenTheSpaceIsSmallAndKnown) {
  FakeProblem P({{"k", 10}});
  P.add({"only", "k", {}, 1.5});
  FakeClock Clock;
  SearchOutcome O = RandomSearch().run(P, Clock.context());
  EXPECT_EQ(O.End, SearchEnd::Exhausted);
  EXPECT_EQ(bestOf(O), "only");
}

TEST(RandomSearch, EndsAtOnceWithoutSites) {
  FakeProblem P({{"k", 10}});
  FakeClock Clock;
  EXPECT_FALSE(RandomSearch().run(P, Clock.context()).Best);
}

} // namespace
