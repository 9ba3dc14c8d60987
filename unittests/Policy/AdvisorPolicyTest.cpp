//===- AdvisorPolicyTest.cpp - The table and what corrects it -------------===//

#include "cudal1/Policy/AdvisorPolicy.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cudal1;

namespace {

class NamedRule : public Rule {
public:
  explicit NamedRule(std::string Name) : Name(std::move(Name)) {}
  llvm::StringRef name() const override { return Name; }
  llvm::StringRef summary() const override { return ""; }
  void findSites(const Kernel &, const ProgramAnalysis &,
                 std::vector<Site> &) const override {}

private:
  std::string Name;
};

TEST(Advice, DependsOnWhatTheSiteLooksLike) {
  SiteFeatures Accumulates, Plain;
  Accumulates.LoopDepth = Plain.LoopDepth = 1;
  Accumulates.GlobalAccumulation = true;
  EXPECT_GT(advise("scalar-replacement", Accumulates, {}).Speedup,
            advise("scalar-replacement", Plain, {}).Speedup);
}

TEST(Advice, PutsCoalescingBeforeUnrolling) {
  SiteFeatures F;
  F.Strided = 3;
  F.Coalesced = 1;
  F.InnermostLoop = true;
  F.LoopDepth = 1;
  EXPECT_GT(advise("swap-thread-indices", F, {}).Speedup,
            advise("unroll-loop", F, {{"factor", 4}}).Speedup);
}

TEST(Advice, KnowsSomethingOfEveryRuleItDoesNotKnow) {
  Advice A = advise("a-rule-of-tomorrow", SiteFeatures(), {});
  EXPECT_GT(A.Speedup, 1.0);
  EXPECT_FALSE(A.Reason.empty());
}

TEST(Advice, PrefersMiddlingUnrollFactors) {
  SiteFeatures F;
  F.InnermostLoop = true;
  F.LoopDepth = 1;
  EXPECT_GT(advise("unroll-loop", F, {{"factor", 4}}).Speedup,
            advise("unroll-loop", F, {{"factor", 16}}).Speedup);
}

class Advisor : public testing::Test {
protected:
  Advisor() {
    S.TheRule = &Unroll;
    S.TheKernel = &K;
    S.LoopDepth = 1;
    S.Choices = {{{"factor", 4}}, {{"factor", 8}}};
    for (const RewriteParams &Params : S.Choices)
      Actions.push_back({&S, &Params});
  }
  std::vector<double> scores(llvm::ArrayRef<Exemplar> Exemplars) {
    PolicyScores Scores =
        AdvisorPolicy().score({&K, 1.0, {}, Exemplars, Actions});
    Stop = Scores.Stop;
    return Scores.Actions;
  }
  Exemplar exemplar(const RewriteParams &Params, double LogStep,
                    bool Failed = false) {
    Exemplar E;
    E.Rewrites = {describe(S, Params)};
    E.LogSpeedup = E.LogStep = LogStep;
    E.Failed = Failed;
    return E;
  }

  NamedRule Unroll{"unroll-loop"};
  Kernel K;
  Site S;
  std::vector<Action> Actions;
  double Stop = 0;
};

TEST_F(Advisor, GivesOneScoreForEachAction) {
  EXPECT_EQ(scores({}).size(), 2u);
  EXPECT_GT(scores({})[0], Stop);
}

TEST_F(Advisor, AStepThatWonIsExpectedToWinAgain) {
  double Before = scores({})[0];
  EXPECT_GT(scores(exemplar({{"factor", 4}}, std::log(2.0)))[0], Before);
}

TEST_F(Advisor, AStepThatLostIsNotTriedAgainSoon) {
  double Before = scores({})[0];
  std::vector<double> After = scores(exemplar({{"factor", 4}}, std::log(0.8)));
  EXPECT_LT(After[0], Stop);
  EXPECT_LT(After[0], Before);
}

TEST_F(Advisor, ALossTeachesLittleOfOtherParameters) {
  std::vector<double> Before = scores({});
  std::vector<double> After = scores(exemplar({{"factor", 4}}, std::log(0.9)));
  EXPECT_LT(After[1], Before[1]);
  EXPECT_LT(Before[1] - After[1], Before[0] - After[0]);
}

TEST_F(Advisor, AFailureCountsAsALoss) {
  EXPECT_LT(scores(exemplar({{"factor", 4}}, 0, /*Failed=*/true))[0], Stop);
}

TEST_F(Advisor, OtherKernelsRulesTeachNothing) {
  NamedRule Other("hoist-invariant");
  std::vector<double> Before = scores({});
  S.TheRule = &Other;
  Exemplar E = exemplar({}, std::log(3.0));
  S.TheRule = &Unroll;
  EXPECT_EQ(scores(E), Before);
}

} // namespace
