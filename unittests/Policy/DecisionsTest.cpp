//===- DecisionsTest.cpp - The analysis as the network's features ---------===//

#include "cudal1/Policy/Decisions.h"
#include "../ParseCuda.h"
#include "cudal1/Network/Encoding.h"
#include "cudal1/Rewrite/RuleList.h"

using namespace cudal1;

namespace {

constexpr char Source[] = R"(
__global__ void rowSums(const double *in, double *out, int rows, int columns) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  out[r] = 0;
  for (int c = 0; c < columns; c++)
    out[r] += in[r * columns + c] / 2.0;
}
int main() {
  for (int i = 0; i < 3; i++)
    rowSums<<<10, 64>>>(0, 0, 640, 100);
}
)";

class Decisions : public ::testing::Test {
protected:
  void SetUp() override {
    P = cudal1::testing::parseCuda(Source);
    ASSERT_TRUE(P);
    A = ProgramAnalysis::analyze(*P);
    Rules = RuleList::all();
    Sites = findSites(Rules, *A, FpClass::Reassociate, /*NeedsCheck=*/false);
    State.TheKernel = A->kernels().front().get();
    for (const Site &S : Sites)
      if (S.TheKernel)
        for (const RewriteParams &Params : S.Choices)
          Actions.push_back({&S, &Params});
    State.Actions = Actions;
  }

  std::unique_ptr<Program> P;
  std::unique_ptr<ProgramAnalysis> A;
  RuleList Rules = RuleList::all();
  std::vector<Site> Sites;
  std::vector<Action> Actions;
  PolicyState State;
};

TEST_F(Decisions, SeeWhatTheKernelDoes) {
  NamedValues V = codeFeatures(State.TheKernel);
  EXPECT_EQ(V["loops"], 1);
  EXPECT_EQ(V["doubleOperations"], 2) << "the sum and the division";
  EXPECT_EQ(V["globalAccumulation"], 1);
  EXPECT_EQ(V["blockThreads"], 64);
  EXPECT_EQ(V["launchedInLoop"], 1);
  EXPECT_EQ(V["earlyReturn"], 1);
  EXPECT_EQ(V["onHost"], 0);
  EXPECT_EQ(codeFeatures(nullptr)["onHost"], 1);
}

/// A misspelt name would be dropped without a word.
TEST_F(Decisions, UseOnlyNamesOfTheSchema) {
  Decision D = decisionOf(State);
  for (const auto &[Name, Value] : D.State)
    EXPECT_TRUE(llvm::is_contained(schema().StateNames, Name)) << Name;
  ASSERT_FALSE(D.Actions.empty());
  for (const CandidateStep &Step : D.Actions)
    for (const auto &[Name, Value] : Step.Features)
      EXPECT_TRUE(llvm::is_contained(schema().ActionNames, Name)) << Name;
}

TEST_F(Decisions, ListTheActionsInOrder) {
  Decision D = decisionOf(State);
  ASSERT_EQ(D.Actions.size(), Actions.size());
  for (size_t I = 0; I < Actions.size(); ++I)
    EXPECT_EQ(D.Actions[I].Key.Rule, Actions[I].Where->TheRule->name());
}

TEST_F(Decisions, TellHowASiteWasTreatedBefore) {
  Rewrite R = describe(*Actions[0].Where, *Actions[0].Params);
  State.Applied = R;
  Decision D = decisionOf(State);
  EXPECT_EQ(D.State["appliedRewrites"], 1);
  EXPECT_EQ(D.Actions[0].Features["appliedSameSite"], 1);
  EXPECT_EQ(D.Applied[0], D.Actions[0].Key);
}

TEST_F(Decisions, TakeFactsAndExemplarsOver) {
  NamedValues Facts{{"occupancy", 0.5}};
  State.Facts = &Facts;
  Exemplar E;
  E.Rewrites = {describe(*Actions[0].Where, *Actions[0].Params)};
  E.LogSpeedup = 0.7;
  State.Exemplars = E;
  Decision D = decisionOf(State);
  EXPECT_EQ(D.State["occupancy"], 0.5);
  ASSERT_EQ(D.Examples.size(), 1u);
  EXPECT_EQ(D.Examples[0].LogSpeedup, 0.7);
}

} // namespace
