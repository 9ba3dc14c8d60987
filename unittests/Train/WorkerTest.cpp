//===- WorkerTest.cpp - Kernels measured now, by cuda-l1-env --------------===//

#include "cudal1/Train/Worker.h"
#include "cudal1/Train/Batching.h"
#include "cudal1/Train/Files.h"
#include "cudal1/Train/TrainError.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace cudal1;

namespace {

const char *const Fake = CUDAL1_PYTHON " " CUDAL1_FAKE_WORKER;

size_t actionOf(WorkerEnvironment &E, NodeId Node, const std::string &Rule) {
  const NodeView &View = E.node(Node);
  for (size_t I = 0; I < View.Actions.size(); ++I)
    if (View.Actions[I].Key.Rule == Rule)
      return I;
  return View.Actions.size();
}

/// The stand-in's first session is the one that Attach opens as its second.
class Workers : public testing::Test {
protected:
  Workers() : W("", Fake), E("corpus/family/p.cu", "k") { E.attach(W); }
  StepResult measure(NodeId Node, const std::string &Rule) {
    return E.measure(Node, actionOf(E, Node, Rule));
  }

  Worker W;
  WorkerEnvironment E;
};

TEST_F(Workers, MeasureSteps) {
  EXPECT_EQ(W.gpu(), "fake");
  StepResult R = measure(E.root(), "unroll-loop");
  EXPECT_EQ(R.Verdict, Outcome::Faster);
  EXPECT_NEAR(R.LogSpeedup, std::log(1.2), 1e-9);
  EXPECT_EQ(measure(E.root(), "tile-loop").Verdict, Outcome::WrongResult);
  EXPECT_EQ(measure(E.root(), "pad-shared").To, NoNode);
  StepResult Next = measure(R.To, "fast-math");
  EXPECT_NEAR(Next.LogSpeedup, std::log(1.2 * 0.9), 1e-9);
  EXPECT_NEAR(E.steps().back().LogStep, std::log(0.9), 1e-9);
}

TEST_F(Workers, KnowOneTextByTwoWays) {
  NodeId A = E.walk(E.root(), actionOf(E, E.root(), "unroll-loop"));
  NodeId AB = E.walk(A, actionOf(E, A, "fast-math"));
  NodeId B = E.walk(E.root(), actionOf(E, E.root(), "fast-math"));
  EXPECT_EQ(E.walk(B, actionOf(E, B, "unroll-loop")), AB);
  EXPECT_EQ(E.walk(E.root(), actionOf(E, E.root(), "pad-shared")), NoNode);
}

TEST_F(Workers, LookTwiceAtWhatIsTooGood) {
  E.attach(W); // the second session: it flatters
  StepResult R = measure(E.root(), "split-work");
  EXPECT_NEAR(R.LogSpeedup, std::log(4.0), 1e-9);
}

TEST_F(Workers, AreWalkedByEpisodes) {
  SearchEpisode Episode(E, {});
  while (!Episode.isOver())
    Episode.choose(0);
  EXPECT_NEAR(Episode.best(), std::log(1.2 * 4), 1e-9);
}

TEST(Worker, ThatCannotBeStartedIsNamed) {
  EXPECT_THROW(Worker("", "/no/such/program"), TrainError);
  try {
    Worker W("", "/bin/true");
    FAIL();
  } catch (const TrainError &Error) {
    EXPECT_NE(std::string(Error.what()).find("has ended"), std::string::npos);
  }
}

TEST(Worker, GroupsAreMeasuredByAllAndKept) {
  std::filesystem::path File =
      std::filesystem::temp_directory_path() / "cudal1-worker-test.jsonl";
  std::filesystem::remove(File);
  WorkerRules Rules;
  Rules.Count = 2;
  Rules.Launcher = CUDAL1_PYTHON;
  Rules.Command = CUDAL1_FAKE_WORKER;
  Rules.Programs = {"corpus/family/p.cu", "corpus/family/q.cu"};
  Rules.Append = File;
  WorkerGroups Groups(Rules);
  ASSERT_EQ(Groups.kernels(), 2U);
  Learner L(shapeOfSchema(), 1, 1);
  SafeTensors Weights = L.exportWeights();
  Weights.Metadata["schema"] = schema().Hash;
  TrainConfig C;
  C.Policy.ProposalShare = 0;
  std::vector<GroupResult> Results =
      Groups.run({0, 1}, NetworkScorer(Weights, {}), C, {Random(1), Random(2)});
  ASSERT_EQ(Results.size(), 2U);
  EXPECT_GT(Results[0].Measurements, 0U);
  EXPECT_FALSE(Results[1].Samples.empty());
  MeasurementRecord Record = readRecord({File});
  ASSERT_EQ(Record.Kernels.size(), 2U);
  EXPECT_EQ(Record.Kernels[0].Family, "family");
  EXPECT_EQ(Record.Gpu, "fake");
  std::filesystem::remove(File);
}

} // namespace
