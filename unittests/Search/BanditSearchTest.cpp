//===- BanditSearchTest.cpp - Proposers that compete ----------------------===//

#include "cudal1/Search/BanditSearch.h"
#include "FakeProblem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cudal1;
using namespace cudal1::test;
using testing::Contains;

namespace {

/// Finds nothing worth trying, ever.
class HopelessPolicy : public Policy {
public:
  llvm::StringRef name() const override { return "hopeless"; }
  PolicyScores score(const PolicyState &State) const override {
    PolicyScores S;
    S.Actions.assign(State.Actions.size(), -1);
    return S;
  }
};

std::string bestOf(const SearchOutcome &O) {
  return O.Best ? O.Best->What.str() : "original";
}

TEST(BanditSearch, KeepsTheOriginalWhenNothingIsFaster) {
  FakeProblem P({{"k", 10}});
  P.add({"unroll", "k", {{"factor", 2}}, 0.9});
  P.add({"hoist", "k", {}, 1.001});
  FakeClock Clock;
  FlatPolicy Table;
  SearchOutcome O = BanditSearch(nullptr, Table).run(P, Clock.context());
  EXPECT_FALSE(O.Best);
  EXPECT_EQ(O.End, SearchEnd::Exhausted);
}

TEST(BanditSearch, BuildsOnTheBest) {
  FakeProblem P({{"k", 10}});
  P.add({"scalar", "k", {}, 2.0});
  P.add({"unroll", "k", {{"factor", 4}}, 1.5, Verdict::Same, "scalar"});
  FakeClock Clock;
  FlatPolicy Table;
  SearchOutcome O = BanditSearch(nullptr, Table).run(P, Clock.context());
  EXPECT_NEAR(*O.Best->Result.Speedup, 3.0, 1e-9);
}

TEST(BanditSearch, FindsByChanceWhatNoPolicyBelievesIn) {
  FakeProblem P({{"k", 10}});
  P.add({"unbelievable", "k", {}, 4.0});
  FakeClock Clock;
  HopelessPolicy Nothing;
  SearchOutcome O = BanditSearch(&Nothing, Nothing).run(P, Clock.context());
  EXPECT_EQ(bestOf(O), "unbelievable");
}

TEST(BanditSearch, AsksTheLearnedPolicyFirst) {
  FakeProblem P({{"k", 10}});
  P.add({"scalar", "k", {}, 2.0});
  FakeClock Clock;
  FlatPolicy Learned;
  HopelessPolicy Table;
  SearchOutcome O = BanditSearch(&Learned, Table).run(P, Clock.context());
  ASSERT_FALSE(O.Attempts.empty());
  EXPECT_EQ(O.Attempts.front().What.str(), "scalar");
  EXPECT_EQ(bestOf(O), "scalar");
}

TEST(BanditSearch, MutatesTheParametersOfTheBest) {
  // The second choice shows its worth only after another rewrite.
  FakeProblem P({{"k", 10}});
  P.add({"unroll", "k", {{"factor", 2}}, 1.2});
  P.add({"unroll", "k", {{"factor", 4}}, 1.1});
  P.add({"hoist", "k", {}, 1.3, Verdict::Same, "unroll"});
  FakeClock Clock;
  FlatPolicy Table;
  SearchOutcome O = BanditSearch(nullptr, Table).run(P, Clock.context());
  EXPECT_THAT(P.Measured, Contains("unroll[4], hoist"));
  EXPECT_EQ(bestOf(O), "unroll[2], hoist");
}

TEST(BanditSearch, NeverKeepsAFailedVariant) {
  FakeProblem P({{"k", 10}});
  P.add({"wrong", "k", {}, 9.0, Verdict::WrongResult});
  P.add({"good", "k", {}, 1.1});
  FakeClock Clock;
  FlatPolicy Table;
  SearchOutcome O = BanditSearch(nullptr, Table).run(P, Clock.context());
  EXPECT_EQ(bestOf(O), "good");
}

TEST(BanditSearch, StopsWhenTheTimeIsUp) {
  FakeProblem P({{"k", 10}});
  P.add({"first", "k", {}, 1.5});
  P.add({"second", "k", {}, 2.0});
  FakeClock Clock;
  P.OnMeasure = [&] { Clock.Seconds += 10; };
  FlatPolicy Table;
  SearchOutcome O =
      BanditSearch(nullptr, Table).run(P, Clock.context(/*Budget=*/5));
  EXPECT_EQ(O.End, SearchEnd::OutOfTime);
  EXPECT_EQ(O.Attempts.size(), 1u);
}

TEST(BanditSearch, DoesTheSameForTheSameSeed) {
  auto Measured = [] {
    FakeProblem P({{"k", 10}});
    for (int I = 1; I < 6; ++I)
      P.add({"rule" + std::to_string(I), "k", {}, 1 + 0.1 * I});
    FakeClock Clock;
    FlatPolicy Table;
    BanditSearch(nullptr, Table).run(P, Clock.context());
    return P.Measured;
  };
  EXPECT_EQ(Measured(), Measured());
}

} // namespace
