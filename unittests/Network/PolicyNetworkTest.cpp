//===- PolicyNetworkTest.cpp - The learned policy's forward pass ----------===//

#include "cudal1/Network/PolicyNetwork.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace cudal1;

namespace {

constexpr int64_t H = 4, D = 6, K = 3;

class Network : public testing::Test {
protected:
  Network() {
    File.Metadata["schema"] = schema().Hash;
    auto Width = [](size_t N) { return static_cast<int64_t>(N); };
    pair("state", Width(schema().StateWidth), H, H);
    pair("action", Width(schema().ActionWidth) + H, D, D);
    pair("example", Width(schema().ExampleWidth), D, D);
    weight("query.weight", K, D);
    weight("key.weight", K, D);
    weight("value.weight", D, D);
    weight("pair_key.weight", 1, Width(schema().PairWidth));
    weight("pair_value.weight", D, Width(schema().PairWidth));
    for (const char *Name : {"score", "stop", "critic"})
      pair(Name, 2 * D + H, D, 1);
    File.Tensors["null"] = {{1}, {0.3F}};
    File.Tensors["advice_gain"] = {{1}, {2}};
    Question.State["loops"] = 3;
    for (int64_t Factor : {2, 4, 8})
      Question.Actions.push_back(
          {{"unroll-loop", "k", {{"factor", Factor}}}, {{"advice", 0.1}}});
  }

  void weight(const std::string &Name, int64_t Out, int64_t In) {
    Tensor T{{Out, In}, {}};
    for (int64_t I = 0; I < Out * In; ++I)
      T.Values.push_back(Draw(Random));
    File.Tensors[Name] = T;
  }
  void linear(const std::string &Name, int64_t In, int64_t Out) {
    weight(Name + ".weight", Out, In);
    weight(Name + ".bias", 1, Out);
    File.Tensors[Name + ".bias"].Shape = {Out};
  }
  void pair(const std::string &Name, int64_t In, int64_t Hidden, int64_t Out) {
    linear(Name + ".0", In, Hidden);
    linear(Name + ".2", Hidden, Out);
  }
  NetworkOutput evaluate() {
    std::string Why;
    std::optional<PolicyNetwork> N = PolicyNetwork::create(File, Why);
    EXPECT_TRUE(N) << Why;
    return N->evaluate(encode(Question));
  }
  std::string whyNot() {
    std::string Why;
    EXPECT_FALSE(PolicyNetwork::create(File, Why));
    return Why;
  }

  SafeTensors File;
  Decision Question;
  std::mt19937 Random{7};
  std::uniform_real_distribution<float> Draw{-0.5, 0.5};
};

TEST_F(Network, ScoresEveryStep) {
  NetworkOutput Out = evaluate();
  ASSERT_EQ(Out.Actions.size(), 3U);
  EXPECT_NE(Out.Actions[0], Out.Actions[1]);
}

TEST_F(Network, AnswersWithoutAnyStep) {
  Question.Actions.clear();
  NetworkOutput Out = evaluate();
  EXPECT_TRUE(Out.Actions.empty());
  EXPECT_TRUE(std::isfinite(Out.Stop) && std::isfinite(Out.Value));
}

TEST_F(Network, AddsTheAdviceTimesItsGain) {
  std::vector<float> Before = evaluate().Actions;
  File.Tensors["advice_gain"].Values = {3};
  EXPECT_NEAR(evaluate().Actions[0] - Before[0], 0.1, 1e-5);
}

TEST_F(Network, SeesTheExamples) {
  std::vector<float> Before = evaluate().Actions;
  MeasuredExample M;
  M.Rewrites = {Question.Actions[1].Key};
  M.LogSpeedup = M.LogStep = 1;
  Question.Examples = {M};
  EXPECT_NE(evaluate().Actions, Before);
}

TEST_F(Network, DoesNotMindTheOrderOfStepsAndExamples) {
  MeasuredExample A, B;
  A.Rewrites = {Question.Actions[0].Key};
  A.LogSpeedup = 0.5;
  B.Rewrites = {{"block-size", "", {{"x", 64}}}};
  B.Failed = true;
  Question.Examples = {A, B};
  NetworkOutput Out = evaluate();
  std::swap(Question.Examples[0], Question.Examples[1]);
  std::swap(Question.Actions[0], Question.Actions[2]);
  NetworkOutput Swapped = evaluate();
  EXPECT_NEAR(Out.Actions[0], Swapped.Actions[2], 1e-5);
  EXPECT_NEAR(Out.Stop, Swapped.Stop, 1e-5);
  EXPECT_NEAR(Out.Value, Swapped.Value, 1e-5);
}

TEST_F(Network, GivesAnExampleNoWeightWhereNullTakesAll) {
  NetworkOutput Without = evaluate();
  MeasuredExample M;
  M.Rewrites = {Question.Actions[0].Key};
  Question.Examples = {M};
  File.Tensors["null"].Values = {200};
  NetworkOutput With = evaluate();
  EXPECT_NEAR(With.Actions[0], Without.Actions[0], 1e-6);
}

TEST_F(Network, RefusesAnotherSchema) {
  File.Metadata["schema"] = "0000000000000000";
  EXPECT_NE(whyNot().find("trained anew"), std::string::npos);
  File.Metadata.clear();
  EXPECT_NE(whyNot().find("schema none"), std::string::npos);
}

TEST_F(Network, RefusesWhatIsMissingOrDoesNotFit) {
  Tensor Kept = File.Tensors["score.2.bias"];
  File.Tensors.erase("score.2.bias");
  EXPECT_EQ(whyNot(), "tensor 'score.2.bias' is missing");
  File.Tensors["score.2.bias"] = Kept;
  weight("query.weight", K, D + 1);
  EXPECT_EQ(whyNot(),
            "tensor 'query.weight' has a shape that does not fit the others");
  weight("query.weight", K + 1, D);
  EXPECT_EQ(whyNot(), "the widths of query and key do not agree");
}

} // namespace
