//===- TorchNetwork.cpp - The learned policy in libtorch ------------------===//

#include "TorchNetwork.h"
#include <cmath>

using namespace cudal1;

/// Stands for minus infinity where there is no action: its exponential is 0
/// and, unlike infinity, it has gradients.
static constexpr float Absent = -1e9F;

/// A copy: the batch may go before the graph does.
static torch::Tensor floats(const std::vector<float> &Values,
                            std::vector<int64_t> Shape) {
  return torch::from_blob(const_cast<float *>(Values.data()), Shape,
                          torch::kFloat)
      .clone();
}

static torch::Tensor integers(const std::vector<int64_t> &Values) {
  return torch::from_blob(const_cast<int64_t *>(Values.data()),
                          {static_cast<int64_t>(Values.size())}, torch::kLong)
      .clone();
}

TensorBatch::TensorBatch(const Batch &B, const NetworkShape &Shape)
    : Decisions(B.Decisions), MostActions(B.MostActions),
      MostExamples(B.MostExamples) {
  auto Count = static_cast<int64_t>(B.DecisionOf.size());
  States = floats(B.States, {Decisions, Shape.StateWidth});
  Actions = floats(B.Actions, {Count, Shape.ActionWidth});
  Examples = floats(B.Examples, {Decisions, MostExamples, Shape.ExampleWidth});
  ExampleMask = floats(B.ExampleMask, {Decisions, MostExamples});
  Pairs = floats(B.Pairs, {Count, MostExamples, Shape.PairWidth});
  DecisionOf = integers(B.DecisionOf);
  Position = DecisionOf * (MostActions + 1) + integers(B.ChoiceOf);
}

torch::nn::Sequential TorchNetworkImpl::pair(const std::string &Name,
                                             int64_t In, int64_t Hidden,
                                             int64_t Out) {
  return register_module(Name,
                         torch::nn::Sequential(torch::nn::Linear(In, Hidden),
                                               torch::nn::ReLU(),
                                               torch::nn::Linear(Hidden, Out)));
}

torch::nn::Linear TorchNetworkImpl::plain(const std::string &Name, int64_t In,
                                          int64_t Out) {
  return register_module(
      Name, torch::nn::Linear(torch::nn::LinearOptions(In, Out).bias(false)));
}

TorchNetworkImpl::TorchNetworkImpl(const NetworkShape &S)
    : Shape(S), State(pair("state", S.StateWidth, S.Hidden, S.Hidden)),
      Action(pair("action", S.ActionWidth + S.Hidden, S.Model, S.Model)),
      Example(pair("example", S.ExampleWidth, S.Model, S.Model)),
      Score(pair("score", 2 * S.Model + S.Hidden, S.Model, 1)),
      Stop(pair("stop", 2 * S.Model + S.Hidden, S.Model, 1)),
      Critic(pair("critic", 2 * S.Model + S.Hidden, S.Model, 1)),
      Query(plain("query", S.Model, S.Attention)),
      Key(plain("key", S.Model, S.Attention)),
      Value(plain("value", S.Model, S.Model)),
      PairKey(plain("pair_key", S.PairWidth, 1)),
      PairValue(plain("pair_value", S.PairWidth, S.Model)),
      Null(register_parameter("null", torch::zeros({1}))),
      AdviceGain(register_parameter("advice_gain", torch::ones({1}))) {}

/// What each action makes of the examples of its decision.
torch::Tensor TorchNetworkImpl::attend(const torch::Tensor &X,
                                       const TensorBatch &B) {
  if (B.MostExamples == 0)
    return torch::zeros({X.size(0), Shape.Model});
  torch::Tensor E = torch::relu(Example->forward(B.Examples)); // B × E × D
  torch::Tensor Keys = Key(E).index_select(0, B.DecisionOf);   // A × E × K
  torch::Tensor Values = Value(E).index_select(0, B.DecisionOf);
  torch::Tensor Mask = B.ExampleMask.index_select(0, B.DecisionOf);
  torch::Tensor Logits = (Keys * Query(X).unsqueeze(1)).sum(-1) /
                             std::sqrt(static_cast<float>(Shape.Attention)) +
                         PairKey(B.Pairs).squeeze(-1);
  Logits = Logits * Mask + (1 - Mask) * Absent;
  torch::Tensor All = torch::cat({Logits, Null.expand({X.size(0), 1})}, 1);
  torch::Tensor Weights =
      torch::softmax(All, 1).slice(1, 0, B.MostExamples).unsqueeze(-1);
  return (Weights * (Values + PairValue(B.Pairs))).sum(1);
}

torch::Tensor TorchNetworkImpl::meanOver(const torch::Tensor &Rows,
                                         const TensorBatch &B) {
  torch::Tensor Sum = torch::zeros({B.Decisions, Rows.size(1)})
                          .index_add(0, B.DecisionOf, Rows);
  torch::Tensor Count =
      torch::zeros({B.Decisions})
          .index_add(0, B.DecisionOf, torch::ones({Rows.size(0)}));
  return Sum / Count.clamp_min(1).unsqueeze(1);
}

TensorOutputs TorchNetworkImpl::forward(const TensorBatch &B) {
  torch::Tensor H = torch::relu(State->forward(B.States));
  torch::Tensor OwnH = H.index_select(0, B.DecisionOf);
  torch::Tensor X =
      torch::relu(Action->forward(torch::cat({B.Actions, OwnH}, 1)));
  torch::Tensor C = attend(X, B);
  torch::Tensor Scores =
      Score->forward(torch::cat({X, C, OwnH}, 1)).squeeze(1) +
      AdviceGain * B.Actions.select(1, Shape.AdviceColumn);
  torch::Tensor Pool = torch::cat({H, meanOver(X, B), meanOver(C, B)}, 1);
  torch::Tensor Logits =
      torch::full({B.Decisions * (B.MostActions + 1)}, Absent)
          .index_copy(0, B.Position, Scores)
          .view({B.Decisions, B.MostActions + 1});
  Logits = torch::cat(
      {Stop->forward(Pool), Logits.slice(1, 1, B.MostActions + 1)}, 1);
  return {Logits, Critic->forward(Pool).squeeze(1)};
}
