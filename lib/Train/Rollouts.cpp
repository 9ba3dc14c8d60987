//===- Rollouts.cpp - Groups of rollouts, compared with each other --------===//

#include "cudal1/Train/Rollouts.h"
#include "PriorKnowledge.h"
#include "cudal1/Train/Proposal.h"
#include <algorithm>
#include <cmath>
#include <numbers>

using namespace cudal1;

namespace {

/// Samples of one rollout and, for each, what was still to come.
struct Rollout {
  std::vector<Sample> Samples;
  std::vector<double> Returns;
  /// Of the critic, when the decision was made.
  std::vector<double> Values;
};

/// Asks the policy, draws, and notes the decision.
size_t drawChoice(Decision D, const NetworkScorer &Policy, Random &R,
                  Rollout &Into) {
  Sample S;
  S.Inputs = encodeVisible(std::move(D), Policy.hidden());
  NetworkOutput Out = Policy.evaluate(S.Inputs);
  std::vector<double> Probabilities = probabilitiesOf(Out);
  size_t Number = R.weighted(Probabilities);
  S.Chosen = static_cast<int64_t>(Number);
  S.OldLogProbability =
      static_cast<float>(std::log(std::max(Probabilities[Number], 1e-12)));
  Into.Values.push_back(Out.Value);
  Into.Samples.push_back(std::move(S));
  return Number;
}

/// Advantages: what came less what the critic expected, compared within the
/// group.
void finishGroup(std::vector<Rollout> &Rollouts, double Clip,
                 GroupResult &Result) {
  std::vector<double> Surprises;
  for (const Rollout &One : Rollouts)
    for (size_t I = 0; I < One.Samples.size(); ++I)
      Surprises.push_back(One.Returns[I] - One.Values[I]);
  std::vector<double> Advantages = normalizeGroup(Surprises, Clip);
  size_t At = 0;
  for (Rollout &One : Rollouts)
    for (size_t I = 0; I < One.Samples.size(); ++I) {
      Sample &S = One.Samples[I];
      S.Advantage = static_cast<float>(Advantages[At++]);
      S.Return = static_cast<float>(One.Returns[I]);
      Result.Samples.push_back(std::move(S));
    }
}

} // namespace

GroupResult cudal1::searchGroup(Environment &E,
                                const std::vector<RecordedStep> &Known,
                                const NetworkScorer &Policy,
                                const TrainConfig &C, Random &R) {
  GroupResult Result;
  std::vector<size_t> Prior = drawPrior(Known, C, R);
  std::vector<Rollout> Rollouts(C.Policy.Rollouts);
  double Share = 1.0 / C.Policy.Rollouts;
  for (Rollout &One : Rollouts) {
    SearchEpisode Episode(E, C.Episode);
    for (size_t I : Prior)
      Episode.addKnown(Known[I].From, Known[I].Action, Known[I].Result,
                       Known[I].LogStep);
    std::vector<double> Rewards;
    while (!Episode.isOver()) {
      size_t Number = drawChoice(Episode.decision(), Policy, R, One);
      ChoiceReport Report = Episode.choose(
          Number ? std::optional<size_t>(Number - 1) : std::nullopt);
      Rewards.push_back(rewardOf(Report, E, C.Reward));
      Result.MeanReward += Rewards.back() * Share;
      Result.Measurements += Report.Measured.has_value();
      Result.Failures += Report.Measured && isFailure(Report.Measured->Verdict);
    }
    One.Returns = returnsOf(Rewards, C.Reward.Discount);
    Result.MeanSpeedup += Episode.best() / std::numbers::ln2 * Share;
  }
  finishGroup(Rollouts, C.Reward.Clip, Result);
  return Result;
}

/// Log2 speedup, with what is slower counted more; failures as such.
static double rewardOfProposal(const std::optional<StepResult> &End,
                               const TrainConfig &C) {
  if (!End || End->Verdict == Outcome::Ambiguous)
    return 0;
  if (isFailure(End->Verdict))
    return -C.Reward.Failure;
  double Speedup = End->LogSpeedup / std::numbers::ln2;
  return Speedup < 0 ? Speedup * C.Policy.SlowerWeight : Speedup;
}

GroupResult cudal1::proposalGroup(Environment &E,
                                  const std::vector<RecordedStep> &Known,
                                  const NetworkScorer &Policy,
                                  const TrainConfig &C, Random &R) {
  GroupResult Result;
  std::vector<MeasuredExample> Examples =
      examplesOf(E, Known, drawPrior(Known, C, R));
  std::vector<Rollout> Rollouts(C.Policy.Rollouts);
  double Share = 1.0 / C.Policy.Rollouts;
  for (Rollout &One : Rollouts) {
    ProposalWalk Walk(E, C.Episode.MaxSteps, Examples);
    while (!Walk.isOver()) {
      size_t Number = drawChoice(Walk.decision(), Policy, R, One);
      Walk.choose(Number ? std::optional<size_t>(Number - 1) : std::nullopt);
    }
    std::optional<StepResult> End = Walk.measure();
    double Reward = rewardOfProposal(End, C);
    One.Returns.assign(One.Samples.size(), Reward);
    Result.MeanReward += Reward * Share;
    Result.Measurements += End.has_value();
    if (End && isFailure(End->Verdict))
      ++Result.Failures;
    else if (End)
      Result.MeanSpeedup += End->LogSpeedup / std::numbers::ln2 * Share;
  }
  finishGroup(Rollouts, C.Reward.Clip, Result);
  return Result;
}
