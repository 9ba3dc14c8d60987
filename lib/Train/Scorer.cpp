//===- Scorer.cpp - Who answers the decisions of an episode ---------------===//

#include "cudal1/Train/Scorer.h"
#include "cudal1/Network/Expectation.h"
#include "cudal1/Train/Batching.h"
#include "cudal1/Train/TrainError.h"
#include <algorithm>
#include <cmath>

using namespace cudal1;

/// Turns expected log speedups into probabilities that keep their order.
static constexpr double AdviceSharpness = 20;

std::string cudal1::toString(const HiddenInputs &Hidden) {
  std::string Result = Hidden.Exemplars ? "exemplars" : "";
  if (Hidden.Profile)
    Result += Result.empty() ? "profile" : " profile";
  return Result;
}

HiddenInputs cudal1::hiddenFrom(const SafeTensors &Weights) {
  auto It = Weights.Metadata.find("hidden");
  std::string Text = It == Weights.Metadata.end() ? "" : It->second;
  return {Text.find("exemplars") != std::string::npos,
          Text.find("profile") != std::string::npos};
}

EncodedDecision cudal1::encodeVisible(Decision D, const HiddenInputs &Hidden) {
  if (Hidden.Exemplars)
    D.Examples.clear();
  EncodedDecision E = encode(D);
  if (Hidden.Profile)
    hideGroup(E, FeatureGroup::Profile);
  return E;
}

static std::vector<double> softmax(std::vector<double> Logits) {
  double Largest = *std::max_element(Logits.begin(), Logits.end());
  double Sum = 0;
  for (double &L : Logits)
    Sum += L = std::exp(L - Largest);
  for (double &L : Logits)
    L /= Sum;
  return Logits;
}

std::vector<double> cudal1::probabilitiesOf(const NetworkOutput &Out) {
  std::vector<double> Logits{Out.Stop};
  Logits.insert(Logits.end(), Out.Actions.begin(), Out.Actions.end());
  return softmax(std::move(Logits));
}

Scorer::~Scorer() = default;

static PolicyNetwork makeNetwork(const SafeTensors &Weights) {
  std::string Why;
  std::optional<PolicyNetwork> Network = PolicyNetwork::create(Weights, Why);
  if (!Network)
    throw TrainError("these weights cannot be used: " + Why);
  return std::move(*Network);
}

NetworkScorer::NetworkScorer(const SafeTensors &Weights,
                             const HiddenInputs &Hidden)
    : Network(makeNetwork(Weights)), Hidden(Hidden) {}

std::vector<double> NetworkScorer::choices(const Decision &D) const {
  return probabilitiesOf(Network.evaluate(encodeVisible(D, Hidden)));
}

static double expectationOf(const CandidateStep &A,
                            const std::vector<MeasuredExample> &Examples) {
  auto It = A.Features.find("advice");
  Expectation Gain(It == A.Features.end() ? 0 : It->second);
  for (const MeasuredExample &E : Examples)
    if (!E.Rewrites.empty() && E.Rewrites.back().Rule == A.Key.Rule)
      Gain.add(E.Rewrites.back() == A.Key, E.Failed, E.LogStep);
  return Gain.mean();
}

std::vector<double> AdviceScorer::choices(const Decision &D) const {
  std::vector<double> Logits{AdviceSharpness *
                             std::log(SmallestWorthwhileSpeedup)};
  for (const CandidateStep &A : D.Actions)
    Logits.push_back(AdviceSharpness * expectationOf(A, D.Examples));
  // Stops only when nothing is better, however many there are.
  double Best = *std::max_element(Logits.begin(), Logits.end());
  if (Logits[0] == Best)
    Logits[0] += AdviceSharpness * AdviceSharpness;
  else
    Logits[0] -= AdviceSharpness * AdviceSharpness;
  return softmax(std::move(Logits));
}

std::optional<size_t>
cudal1::bestChoice(const std::vector<double> &Probabilities, bool MayStop,
                   double StopFrom) {
  if (Probabilities.size() < 2 || (MayStop && Probabilities[0] > StopFrom))
    return std::nullopt;
  return std::max_element(Probabilities.begin() + 1, Probabilities.end()) -
         Probabilities.begin() - 1;
}
