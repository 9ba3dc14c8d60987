//===- Reward.h - What a measurement is worth -------------------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_REWARD_H
#define CUDAL1_TRAIN_REWARD_H

#include "cudal1/Train/Episode.h"

namespace cudal1 {

/// All in log2 speedup. A weight of 0 switches a term off.
struct RewardRules {
  /// For a wrong result, a compile error, a crash or a time limit.
  double Failure = 0.25;
  /// What measuring costs.
  double Measurement = 0.01;
  /// Later gains count less, by this factor for each measurement before.
  double Discount = 0.95;
  /// The profile's bottleneck was moved.
  double Bottleneck = 0.02;
  /// For each Rewrite of a Variant that becomes the best.
  double Length = 0.005;
  /// For each doubling of the statements by a Variant that becomes the best.
  double Growth = 0.01;
  /// Of the advantages within a group.
  double Clip = 1.5;
};

/// What the profile says the kernel waits for.
enum class Bottleneck { None, Spills, Parallelism, Occupancy, Memory };
/// None without a profile.
Bottleneck bottleneckOf(const NamedValues &State);
/// \p After is better at what held \p Before back.
bool hasMovedBottleneck(const NamedValues &Before, const NamedValues &After);

/// Of one choice of an episode. `ambiguous` counts as no gain. Stopping is 0.
double rewardOf(const ChoiceReport &Report, Environment &E,
                const RewardRules &Rules);

/// Discounted sums of what is still to come, at each choice.
std::vector<double> returnsOf(const std::vector<double> &Rewards,
                              double Discount);

/// Less their mean, over their standard deviation, clipped to ±Clip. All 0 when
/// they do not differ.
std::vector<double> normalizeGroup(const std::vector<double> &Values,
                                   double Clip);

/// A speedup so large, in itself or against the best so far, that it is
/// measured again before it counts.
bool needsSecondLook(double LogSpeedup, double BestSoFar);

} // namespace cudal1

#endif // CUDAL1_TRAIN_REWARD_H
