//===- ParityTest.cpp - The optimiser's network and libtorch's ------------===//

#include "cudal1/Train/Parity.h"
#include "SyntheticRecord.h"
#include "cudal1/Network/PolicyNetwork.h"
#include "cudal1/Train/Batching.h"
#include "cudal1/Train/Files.h"
#include "gtest/gtest.h"
#include <fstream>
#include <sstream>

using namespace cudal1;
using nlohmann::json;

namespace {

constexpr size_t States = 1000;
constexpr float Tolerance = 1e-5F;

Rows rowsFrom(const json &J, size_t Width) {
  Rows R(Width);
  for (const json &Row : J) {
    std::vector<float> Values = Row.get<std::vector<float>>();
    R.Values.insert(R.Values.end(), Values.begin(), Values.end());
  }
  return R;
}

/// Both on the states of \p Kernels: the largest difference, relative where
/// the number is above 1.
float largestDifference(const SafeTensors &Weights,
                        std::vector<RecordedEnvironment> &Kernels) {
  std::string Why;
  std::optional<PolicyNetwork> Own = PolicyNetwork::create(Weights, Why);
  EXPECT_TRUE(Own) << Why;
  std::istringstream Lines(parityLines(Weights, Kernels, States, {}));
  std::string Line;
  std::getline(Lines, Line);
  EXPECT_EQ(json::parse(Line)["schema"], schema().Hash);
  float Largest = 0;
  size_t Count = 0;
  auto Compare = [&](float A, float B) {
    Largest = std::max(Largest, std::abs(A - B) / std::max(1.0F, std::abs(B)));
  };
  for (; std::getline(Lines, Line); ++Count) {
    json J = json::parse(Line);
    EncodedDecision D;
    D.State = J["state"].get<std::vector<float>>();
    D.Actions = rowsFrom(J["actions"], schema().ActionWidth);
    D.Examples = rowsFrom(J["examples"], schema().ExampleWidth);
    D.Pairs = rowsFrom(J["pairs"], schema().PairWidth);
    NetworkOutput Out = Own->evaluate(D);
    std::vector<float> Logits = J["logits"].get<std::vector<float>>();
    EXPECT_EQ(Logits.size(), Out.Actions.size() + 1);
    Compare(Out.Stop, Logits[0]);
    for (size_t I = 0; I < Out.Actions.size(); ++I)
      Compare(Out.Actions[I], Logits[I + 1]);
    Compare(Out.Value, J["value"].get<float>());
  }
  EXPECT_EQ(Count, States);
  return Largest;
}

TEST(Parity, HoldsForFreshWeights) {
  std::vector<RecordedEnvironment> Kernels;
  for (unsigned N = 0; N < 8; ++N)
    Kernels.emplace_back(SyntheticKernel("alpha", N).make(3));
  Learner L(shapeOfSchema(), 5, 1);
  SafeTensors Weights = L.exportWeights();
  Weights.Metadata["schema"] = schema().Hash;
  EXPECT_LE(largestDifference(Weights, Kernels), Tolerance);
}

TEST(Parity, HoldsForTheShippedWeightsOnTheRecord) {
  std::filesystem::path Policy = CUDAL1_POLICY_FOLDER;
  if (!std::filesystem::exists(Policy / "default.safetensors") ||
      !std::filesystem::exists(Policy / "measurements"))
    GTEST_SKIP() << "no shipped weights or no record";
  std::string Why;
  std::optional<SafeTensors> Weights =
      parseSafeTensors(readFile(Policy / "default.safetensors"), Why);
  ASSERT_TRUE(Weights) << Why;
  MeasurementRecord Record = readRecord({Policy / "measurements"});
  std::vector<RecordedEnvironment> Kernels;
  for (const RecordedKernel &K : Record.Kernels)
    Kernels.emplace_back(K);
  EXPECT_LE(largestDifference(*Weights, Kernels), Tolerance);
}

TEST(Learner, KeepsItsStateToTheBit) {
  RecordedKernel K = SyntheticKernel("alpha", 0).make(2);
  RecordedEnvironment E(K);
  SearchEpisode Episode(E, {});
  EncodedDecision D = encode(Episode.decision());
  Batch B = makeBatch({&D});
  B.Targets.assign(static_cast<size_t>(B.MostActions + 1), 0);
  B.Targets[2] = 1;
  B.Returns = {0.5};
  Learner One(shapeOfSchema(), 1, 1), Two(shapeOfSchema(), 2, 1);
  auto Step = [&](Learner &L) {
    L.cloneGradient(B, {});
    L.apply({});
  };
  for (int N = 0; N < 3; ++N)
    Step(One);
  Two.importState(One.exportState());
  for (int N = 0; N < 3; ++N) {
    Step(One);
    Step(Two);
  }
  EXPECT_EQ(serialize(One.exportState()), serialize(Two.exportState()));
}

TEST(Learner, LearnsWhatItIsShown) {
  RecordedKernel K = SyntheticKernel("alpha", 0).make(2);
  RecordedEnvironment E(K);
  SearchEpisode Episode(E, {});
  EncodedDecision D = encode(Episode.decision());
  Batch B = makeBatch({&D});
  B.Targets.assign(static_cast<size_t>(B.MostActions + 1), 0);
  B.Targets[2] = 1;
  B.Returns = {0.5};
  Learner L(shapeOfSchema(), 1, 1);
  double First = L.cloneGradient(B, {}).Policy;
  for (int N = 0; N < 250; ++N) {
    L.cloneGradient(B, {});
    L.apply({});
  }
  EXPECT_LT(L.cloneGradient(B, {}).Policy, First / 4);
}

} // namespace
