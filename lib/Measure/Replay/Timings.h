//===- Timings.h - The pairs of launches behind a verdict -------*- C++ -*-===//

#ifndef CUDAL1_LIB_MEASURE_REPLAY_TIMINGS_H
#define CUDAL1_LIB_MEASURE_REPLAY_TIMINGS_H

#include "Cases.h"
#include "Timer.h"
#include "cudal1/Measure/Statistics.h"

namespace cudal1 {

/// Collects pairs over all cases of the kernels that a variant touches. What is
/// compared is the time of all launches that the cases stand for.
class ReplayTimings {
public:
  ReplayTimings(StoppingRule Rule, llvm::ArrayRef<const ReplayCase *> Cases)
      : Rule(Rule), Cases(Cases), Samples(Cases.size()), Comparison(Rule) {}

  /// One list of pairs for each case, all of the same length.
  void add(llvm::ArrayRef<std::vector<TimedPair>> ByCase);
  unsigned pairs() const { return Pairs; }
  /// The verdict, once there is one; with \p TimeIsUp, what is known now.
  std::optional<Verdict> decide(bool TimeIsUp) const;
  /// True once the speedup surely lies below \p Speedup.
  bool staysBelow(double Speedup) const;
  /// Microseconds of the variant's launch in one case.
  double variantUs(size_t Case) const;
  /// Sets the figures of \p M, and its verdict.
  void conclude(Verdict Decided, Measurement &M) const;

private:
  RunTimes timesOf(double TimedPair::*Which) const;

  StoppingRule Rule;
  std::vector<const ReplayCase *> Cases;
  std::vector<std::vector<TimedPair>> Samples; ///< by case
  PairedComparison Comparison;
  unsigned Pairs = 0;
};

} // namespace cudal1

#endif // CUDAL1_LIB_MEASURE_REPLAY_TIMINGS_H
