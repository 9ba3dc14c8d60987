//===- Rollouts.h - Decisions made, and what they were worth ----*- C++ -*-===//

#ifndef CUDAL1_TRAIN_ROLLOUTS_H
#define CUDAL1_TRAIN_ROLLOUTS_H

#include "cudal1/Train/Config.h"

namespace cudal1 {

/// A decision to learn from. Choice 0 is to stop, I+1 is action I.
struct Sample {
  EncodedDecision Inputs;
  std::vector<float> Target; ///< cloning: probabilities of the choices
  int64_t Chosen = 0;
  float OldLogProbability = 0;
  float Advantage = 0;
  /// log2 speedup still to come.
  float Return = 0;
};

/// A group of rollouts of one kernel from the same exemplars.
struct GroupResult {
  std::vector<Sample> Samples;
  double MeanReward = 0;  ///< of a rollout, undiscounted
  double MeanSpeedup = 0; ///< log2, of what the rollouts ended with
  unsigned Failures = 0;  ///< measurements that failed
  unsigned Measurements = 0;
};

/// What the record says of each choice of the current decision of \p Episode:
/// probabilities in proportion to exp(gain ÷ (Temperature × largest gain)),
/// where the gain of a step is the rise of the best so far that it or what
/// follows it brings, discounted by Discount for each step later; that of
/// stopping is the best of the other open nodes. \p Largest: the largest gain,
/// log2.
std::vector<float> cloneTarget(RecordedEnvironment &E, SearchEpisode &Episode,
                               const CloneRules &Rules, double &Largest);

/// An episode whose steps are the policy's own, or random ones, and whose
/// targets are the record's: the policy learns to go on from where it gets.
std::vector<Sample> cloneEpisode(RecordedEnvironment &E, const Scorer &Policy,
                                 const TrainConfig &C, Random &R);

/// Decisions of a proposal: as above, without measuring in between.
std::vector<Sample> cloneProposal(RecordedEnvironment &E, const Scorer &Policy,
                                  const TrainConfig &C, Random &R);

/// Rollouts that are search episodes. \p Known: measured before, of which the
/// exemplars are drawn.
GroupResult searchGroup(Environment &E, const std::vector<RecordedStep> &Known,
                        const NetworkScorer &Policy, const TrainConfig &C,
                        Random &R);

/// Rollouts that are proposals: steps until the policy stops, then one
/// measurement.
GroupResult proposalGroup(Environment &E,
                          const std::vector<RecordedStep> &Known,
                          const NetworkScorer &Policy, const TrainConfig &C,
                          Random &R);

} // namespace cudal1

#endif // CUDAL1_TRAIN_ROLLOUTS_H
