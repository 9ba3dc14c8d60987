//===- EpisodeTest.cpp - A search for one kernel, decision by decision ----===//

#include "SyntheticRecord.h"
#include "cudal1/Train/Proposal.h"
#include "cudal1/Train/Rollouts.h"
#include "cudal1/Train/Searches.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <numeric>

using namespace cudal1;

namespace {

/// A graph by hand: nodes by name, edges with the child's log speedup.
class Episodes : public testing::Test {
protected:
  void edge(const std::string &From, const std::string &To, double LogSpeedup,
            Outcome Verdict = Outcome::Faster) {
    RecordedNode &N = K.Nodes[From];
    if (From != "root" && N.Applied.empty())
      N.Applied = {{From, "", {}}};
    RecordedAction A;
    A.Step.Key = {To, "", {}};
    A.To = To;
    A.Verdict = Verdict;
    A.LogSpeedup = LogSpeedup;
    N.Actions.push_back(A);
    K.Nodes.try_emplace("root");
    K.Root = "root";
    if (K.Nodes.count(To))
      K.Nodes[To].LogSpeedup = LogSpeedup;
  }
  /// Names of what is offered.
  static std::vector<std::string> offered(SearchEpisode &S) {
    std::vector<std::string> Names;
    for (const CandidateStep &A : S.decision().Actions)
      Names.push_back(A.Key.Rule);
    return Names;
  }
  using Names = std::vector<std::string>;

  RecordedKernel K;
  EpisodeRules Rules;
};

TEST_F(Episodes, GoOnFromWhatIsFaster) {
  edge("a", "ab", 0.9);
  edge("root", "a", 0.5);
  edge("root", "b", 0.1);
  RecordedEnvironment E(K);
  SearchEpisode S(E, Rules);
  EXPECT_EQ(offered(S), (Names{"a", "b"}));
  ChoiceReport Report = S.choose(0);
  EXPECT_DOUBLE_EQ(Report.Gain, 0.5);
  EXPECT_EQ(offered(S), Names{"ab"});
  Report = S.choose(0);
  EXPECT_NEAR(Report.LogStep, 0.4, 1e-12);
  // Nothing follows; the original still has a step.
  EXPECT_EQ(offered(S), Names{"b"});
  ASSERT_EQ(S.decision().Examples.size(), 2U);
  EXPECT_EQ(S.decision().Examples[1].Rewrites.size(), 2U);
}

TEST_F(Episodes, LookAtTheParentBeforeWhatIsTheSame) {
  edge("a", "ab", 0.9);
  edge("root", "a", 0.004, Outcome::Same);
  edge("root", "b", 0.1);
  RecordedEnvironment E(K);
  SearchEpisode S(E, Rules);
  S.choose(0);
  EXPECT_EQ(offered(S), Names{"b"});
  S.choose(std::nullopt); // nothing more at the original
  EXPECT_EQ(offered(S), Names{"ab"});
}

TEST_F(Episodes, EndWhenTheBudgetIsSpent) {
  edge("root", "a", 0.5);
  edge("root", "b", 0.6);
  RecordedEnvironment E(K);
  Rules.Measurements = 1;
  SearchEpisode S(E, Rules);
  S.choose(0);
  EXPECT_TRUE(S.isOver());
}

TEST_F(Episodes, DoNotWalkFromWhatFailed) {
  edge("w", "x", 2.0);
  edge("root", "w", 0, Outcome::WrongResult);
  RecordedEnvironment E(K);
  SearchEpisode S(E, Rules);
  ChoiceReport Report = S.choose(0);
  EXPECT_EQ(Report.Measured->Verdict, Outcome::WrongResult);
  EXPECT_TRUE(S.isOver());
  EXPECT_DOUBLE_EQ(S.best(), 0);
}

TEST_F(Episodes, OpenAgainWhatWasStoppedAt) {
  edge("root", "a", 0.5);
  RecordedEnvironment E(K);
  Rules.Reopen = true;
  SearchEpisode S(E, Rules);
  S.choose(std::nullopt);
  ASSERT_FALSE(S.isOver());
  EXPECT_FALSE(S.mayStop());
  EXPECT_EQ(offered(S), Names{"a"});
}

TEST_F(Episodes, CountWhatWasKnownBefore) {
  edge("a", "ab", 0.9);
  edge("root", "a", 0.5);
  edge("root", "b", 0.1);
  RecordedEnvironment E(K);
  SearchEpisode S(E, Rules);
  for (const RecordedStep &Step : E.steps())
    if (E.node(Step.From).Actions[Step.Action].Key.Rule == "a")
      S.addKnown(Step.From, Step.Action, Step.Result, Step.LogStep);
  EXPECT_EQ(offered(S), Names{"ab"});
  EXPECT_DOUBLE_EQ(S.best(), 0.5);
  EXPECT_EQ(S.measured(), 0U);
}

TEST_F(Episodes, TargetsNameTheWayToTheBest) {
  edge("a", "ab", 2.0);
  edge("root", "a", 0.1);
  edge("root", "b", 0.5);
  edge("root", "c", -0.5, Outcome::Slower);
  RecordedEnvironment E(K);
  SearchEpisode S(E, Rules);
  double Largest = 0;
  std::vector<float> Target = cloneTarget(E, S, {}, Largest);
  ASSERT_EQ(Target.size(), 4U);
  EXPECT_GT(Target[1], 0.9F);
  EXPECT_NEAR(std::accumulate(Target.begin(), Target.end(), 0.0), 1, 1e-5);
  EXPECT_NEAR(Largest, 2.0 / 0.6931 * 0.9, 0.01);
  // Stop where nothing more is known to gain.
  S.choose(0);
  S.choose(0);
  Target = cloneTarget(E, S, {}, Largest);
  EXPECT_FLOAT_EQ(Target[0], 1);
  EXPECT_EQ(Largest, 0);
}

TEST_F(Episodes, ProposalsMeasureOnlyWhereTheyEnd) {
  edge("a", "ab", 0.9);
  edge("root", "a", -0.5, Outcome::Slower);
  RecordedEnvironment E(K);
  ProposalWalk Walk(E, 8, {});
  EXPECT_FALSE(Walk.measure());
  Walk.choose(0);
  Walk.choose(0);
  EXPECT_TRUE(Walk.isOver());
  EXPECT_DOUBLE_EQ(Walk.measure()->LogSpeedup, 0.9);
}

TEST_F(Episodes, CurvesNeverFallAndHoldTheirLength) {
  RecordedKernel Made = SyntheticKernel("alpha", 1).make(3);
  RecordedEnvironment E(Made);
  AdviceScorer Advice;
  Random R(1);
  for (const SearchCurve &Curve :
       {searchWith(Advice, E, Rules), searchRandomly(E, 16, R),
        searchByEvolution(E, 16, R)}) {
    EXPECT_EQ(Curve.size(), 17U);
    EXPECT_TRUE(std::is_sorted(Curve.begin(), Curve.end()));
    EXPECT_LE(Curve.back(), E.bestKnown() + 1e-12);
  }
}

TEST_F(Episodes, AdviceIsCorrectedByWhatWasMeasured) {
  AdviceScorer Advice;
  Decision D;
  D.Actions = {{{"x", "", {}}, {{"advice", 0.5}}},
               {{"y", "", {}}, {{"advice", 0.4}}}};
  EXPECT_EQ(bestChoice(Advice.choices(D), true, StopFrom), 0U);
  MeasuredExample Slow;
  Slow.Rewrites = {{"x", "", {}}};
  Slow.LogStep = -0.2;
  D.Examples = {Slow};
  EXPECT_EQ(bestChoice(Advice.choices(D), true, StopFrom), 1U);
  D.Actions = {{{"z", "", {}}, {{"advice", 0.001}}}};
  EXPECT_EQ(bestChoice(Advice.choices(D), true, StopFrom), std::nullopt);
}

} // namespace
