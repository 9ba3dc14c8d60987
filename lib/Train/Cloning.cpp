//===- Cloning.cpp - The record's best sequences as an example ------------===//

#include "PriorKnowledge.h"
#include "cudal1/Train/Proposal.h"
#include "cudal1/Train/Rollouts.h"
#include <algorithm>
#include <cmath>
#include <numbers>

using namespace cudal1;

/// Gains (log2) below this are noise of the measurement.
static constexpr double Noise = 0.01;
/// Decisions about gains (log2) from this on have the whole weight.
static constexpr float FullStake = 0.25F;
static constexpr float SmallestWeight = 0.15F;

/// The best that \p Node and what follows it bring over \p Best, log2; each
/// further step counts less.
static double promise(const RecordedEnvironment &E, NodeId Node, double Best,
                      double Discount) {
  double Result = 0, Factor = 1;
  for (unsigned More = 0; More < RecordedEnvironment::Horizon; ++More) {
    double Gain = (E.bestWithin(Node, More) - Best) / std::numbers::ln2;
    Result = std::max(Result, Factor * Gain);
    Factor *= Discount;
  }
  return Result < Noise ? 0 : Result;
}

/// Probabilities from gains; the first one is that of stopping.
static std::vector<float> targetOf(const std::vector<double> &Gains,
                                   double Temperature, double &Largest) {
  Largest = *std::max_element(Gains.begin(), Gains.end());
  std::vector<float> Target(Gains.size(), 0.0F);
  if (Largest <= 0) {
    Target[0] = 1;
    return Target;
  }
  double Sum = 0;
  std::vector<double> Weights;
  for (double G : Gains) {
    Weights.push_back(std::exp((G - Largest) / (Temperature * Largest)));
    Sum += Weights.back();
  }
  for (size_t I = 0; I < Gains.size(); ++I)
    Target[I] = static_cast<float>(Weights[I] / Sum);
  return Target;
}

std::vector<float> cudal1::cloneTarget(RecordedEnvironment &E,
                                       SearchEpisode &Episode,
                                       const CloneRules &Rules,
                                       double &Largest) {
  double Elsewhere = 0;
  for (NodeId Node : Episode.open())
    if (Node != Episode.current())
      for (size_t A = 0; A < E.node(Node).Actions.size(); ++A)
        if (NodeId To = E.lead(Node, A); !Episode.isKnown(To))
          Elsewhere = std::max(Elsewhere,
                               promise(E, To, Episode.best(), Rules.Discount));
  std::vector<double> Gains{Elsewhere * Rules.Discount};
  for (size_t A : Episode.offered())
    Gains.push_back(promise(E, E.lead(Episode.current(), A), Episode.best(),
                            Rules.Discount));
  return targetOf(Gains, Rules.Temperature, Largest);
}

/// 0 to stop, I+1 for action I: by chance over all, or as \p Probabilities say.
static size_t pick(const std::vector<double> &Probabilities, double Explore,
                   Random &R) {
  if (R.unit() < Explore && Probabilities.size() > 1)
    return 1 + R.below(Probabilities.size() - 1);
  return R.weighted(Probabilities);
}

/// What is at stake weighs: most decisions of an episode decide little.
static void weigh(Sample &S) {
  float Weight = std::clamp(S.Return / FullStake, SmallestWeight, 1.0F);
  for (float &P : S.Target)
    P *= Weight;
}

static std::optional<size_t> asChoice(size_t Number) {
  return Number ? std::optional<size_t>(Number - 1) : std::nullopt;
}

std::vector<Sample> cudal1::cloneEpisode(RecordedEnvironment &E,
                                         const Scorer &Policy,
                                         const TrainConfig &C, Random &R) {
  SearchEpisode Episode(E, C.Episode);
  for (size_t I : drawPrior(E.steps(), C, R)) {
    const RecordedStep &S = E.steps()[I];
    Episode.addKnown(S.From, S.Action, S.Result, S.LogStep);
  }
  std::vector<Sample> Samples;
  while (!Episode.isOver()) {
    Decision D = Episode.decision();
    Sample S;
    double Largest = 0;
    S.Target = cloneTarget(E, Episode, C.Clone, Largest);
    S.Return = static_cast<float>(Largest);
    weigh(S);
    std::vector<double> Probabilities = Policy.choices(D);
    S.Inputs = encodeVisible(std::move(D), C.Hidden);
    size_t Number = pick(Probabilities, C.Clone.Explore, R);
    Samples.push_back(std::move(S));
    if (Largest <= 0)
      break; // the record knows nothing better: one example of that is enough
    Episode.choose(asChoice(Number));
  }
  return Samples;
}

std::vector<Sample> cudal1::cloneProposal(RecordedEnvironment &E,
                                          const Scorer &Policy,
                                          const TrainConfig &C, Random &R) {
  std::vector<MeasuredExample> Examples =
      examplesOf(E, E.steps(), drawPrior(E.steps(), C, R));
  ProposalWalk Walk(E, C.Episode.MaxSteps, Examples);
  std::vector<Sample> Samples;
  while (!Walk.isOver()) {
    Decision D = Walk.decision();
    std::vector<double> Gains{0};
    for (size_t A : Walk.offered())
      Gains.push_back(promise(E, E.lead(Walk.current(), A),
                              E.logSpeedup(Walk.current()), C.Clone.Discount));
    Sample S;
    double Largest = 0;
    S.Target = targetOf(Gains, C.Clone.Temperature, Largest);
    S.Return = static_cast<float>(Largest);
    weigh(S);
    std::vector<double> Probabilities = Policy.choices(D);
    S.Inputs = encodeVisible(std::move(D), C.Hidden);
    size_t Number = pick(Probabilities, C.Clone.Explore, R);
    Samples.push_back(std::move(S));
    Walk.choose(asChoice(Number));
  }
  return Samples;
}
