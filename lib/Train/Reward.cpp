//===- Reward.cpp - What a measurement is worth ---------------------------===//

#include "cudal1/Train/Reward.h"
#include <algorithm>
#include <cmath>
#include <numbers>

using namespace cudal1;

/// Below these a kernel is held back by the figure; shares of 1 and blocks for
/// each multiprocessor.
static constexpr double LowBlocks = 1.0;
static constexpr double LowOccupancy = 0.4;
/// Above it by memory.
static constexpr double HighBandwidth = 0.6;
/// A figure has moved when it changed by this factor.
static constexpr double Moved = 1.2;
/// Speedups that are looked at twice: absolute, and against the best so far.
static constexpr double LargeSpeedup = 3.0;
static constexpr double LargeStep = 2.0;
/// Deviations below are rounding, not differences.
static constexpr double SmallestDeviation = 1e-6;

static double get(const NamedValues &State, const char *Name) {
  auto It = State.find(Name);
  return It == State.end() ? 0 : It->second;
}

Bottleneck cudal1::bottleneckOf(const NamedValues &State) {
  double Blocks = get(State, "blocksPerMultiprocessor");
  double Occupancy = get(State, "occupancy");
  if (Blocks == 0 && Occupancy == 0)
    return Bottleneck::None;
  if (get(State, "spilledBytes") > 0)
    return Bottleneck::Spills;
  if (Blocks > 0 && Blocks < LowBlocks)
    return Bottleneck::Parallelism;
  if (get(State, "bandwidthShare") > HighBandwidth)
    return Bottleneck::Memory;
  if (Occupancy > 0 && Occupancy < LowOccupancy)
    return Bottleneck::Occupancy;
  return Bottleneck::None;
}

bool cudal1::hasMovedBottleneck(const NamedValues &Before,
                                const NamedValues &After) {
  if (bottleneckOf(After) == Bottleneck::None && !After.count("occupancy"))
    return false; // never profiled
  auto Rose = [&](const char *Name) {
    return get(After, Name) >= Moved * get(Before, Name);
  };
  switch (bottleneckOf(Before)) {
  case Bottleneck::None:
    return false;
  case Bottleneck::Spills:
    return get(After, "spilledBytes") * Moved <= get(Before, "spilledBytes");
  case Bottleneck::Parallelism:
    return Rose("blocksPerMultiprocessor");
  case Bottleneck::Occupancy:
    return Rose("occupancy");
  case Bottleneck::Memory:
    return get(After, "footprintBytes") * Moved <=
           get(Before, "footprintBytes");
  }
  return false;
}

double cudal1::rewardOf(const ChoiceReport &Report, Environment &E,
                        const RewardRules &Rules) {
  if (!Report.Measured)
    return 0;
  const StepResult &Result = *Report.Measured;
  double Reward = -Rules.Measurement;
  if (isFailure(Result.Verdict))
    return Reward - Rules.Failure;
  const NodeView &Before = E.node(Report.From);
  const NodeView &After = E.node(Result.To);
  if (Rules.Bottleneck != 0 && hasMovedBottleneck(Before.State, After.State))
    Reward += Rules.Bottleneck;
  if (Report.Gain <= 0 || Result.Verdict == Outcome::Ambiguous)
    return Reward;
  Reward += Report.Gain / std::numbers::ln2;
  Reward -= Rules.Length * static_cast<double>(Before.Applied.size() + 1);
  double Statements = get(Before.State, "statements");
  double Grown = get(After.State, "statements");
  if (Statements > 0 && Grown > Statements)
    Reward -= Rules.Growth * std::log2(Grown / Statements);
  return Reward;
}

std::vector<double> cudal1::returnsOf(const std::vector<double> &Rewards,
                                      double Discount) {
  std::vector<double> Result(Rewards.size());
  double Sum = 0;
  for (size_t I = Rewards.size(); I-- > 0;)
    Result[I] = Sum = Rewards[I] + Discount * Sum;
  return Result;
}

std::vector<double> cudal1::normalizeGroup(const std::vector<double> &Values,
                                           double Clip) {
  std::vector<double> Result(Values.size(), 0.0);
  if (Values.empty())
    return Result;
  auto Count = static_cast<double>(Values.size());
  double Mean = 0, Square = 0;
  for (double V : Values)
    Mean += V / Count;
  for (double V : Values)
    Square += (V - Mean) * (V - Mean) / Count;
  double Deviation = std::sqrt(Square);
  if (Deviation < SmallestDeviation)
    return Result;
  for (size_t I = 0; I < Values.size(); ++I)
    Result[I] = std::clamp((Values[I] - Mean) / Deviation, -Clip, Clip);
  return Result;
}

bool cudal1::needsSecondLook(double LogSpeedup, double BestSoFar) {
  return LogSpeedup > std::log(LargeSpeedup) ||
         LogSpeedup > BestSoFar + std::log(LargeStep);
}
