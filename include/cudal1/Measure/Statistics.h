//===- Statistics.h - Is one program faster than another? -------*- C++ -*-===//
///
/// \file
/// Decides from paired times. Each pair is one run of the original and one of
/// the variant, next to each other; pairs alternate in order (original first,
/// variant first, …), so that a drift of the machine's speed cancels. What is
/// averaged is log(original ÷ variant): a ratio, so a common factor of a pair
/// (clocks, temperature) cancels too.
///
/// The interval is Student's, of the logs that an outlier rule keeps. See
/// Kalibera and Jones, "Rigorous benchmarking in reasonable time" (ISMM 2013)
/// for ratios with intervals instead of single speedups.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_MEASURE_STATISTICS_H
#define CUDAL1_MEASURE_STATISTICS_H

#include "cudal1/Measure/Verdict.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <vector>

namespace cudal1 {

/// Middle value; of an even number, the mean of the two. 0 if empty.
double median(std::vector<double> Values);

/// Mean and sample standard deviation (0 for fewer than two values).
struct MeanAndDeviation {
  double Mean = 0;
  double Deviation = 0;
};
MeanAndDeviation meanAndDeviation(llvm::ArrayRef<double> Values);

/// The two-sided quantile of Student's distribution: the t for which a sample
/// lies within ±t with the given probability (0.95, 0.99, …).
double studentQuantile(double Confidence, unsigned DegreesOfFreedom);

/// When to stop, and what counts as a difference.
struct StoppingRule {
  /// Relative differences below this do not matter.
  double Margin = 0.01;
  /// Confidence at which a decision is taken early. Higher than the reported
  /// interval's, since every pair is another chance to be wrong.
  double DecisionConfidence = 0.99;
  /// Confidence of the interval that is reported.
  double ReportConfidence = 0.95;
  unsigned MinPairs = 2;
  unsigned MaxPairs = 48;
  /// A variant this many times slower in its first pair is given up.
  double GiveUpRatio = 1.5;
  /// A variant this many times slower in each of the first MinPairs pairs is
  /// given up as well.
  double LosingRatio = 1.1;
  /// Pairs vary by at least this much (standard deviation of a log), whatever
  /// a few of them happen to show. From the original's own runs.
  double MinDeviation = 0.002;
};

/// A speedup with its interval. All are original time ÷ variant time.
struct SpeedupEstimate {
  double Speedup = 1;
  double Low = 1;
  double High = 1;
  unsigned Pairs = 0;    ///< measured
  unsigned Outliers = 0; ///< of these, left out
};

/// Collects pairs of times until a verdict can be given.
class PairedComparison {
public:
  explicit PairedComparison(StoppingRule Rule) : Rule(Rule) {}

  /// Adds a pair; both times in the same unit, greater than 0.
  void addPair(double OriginalTime, double VariantTime);

  /// The verdict, once the pairs allow one: Faster, Slower or Same if the
  /// interval lies wholly above, below or within the margin; Ambiguous when
  /// MaxPairs are used up. std::nullopt: measure more.
  std::optional<Verdict> decide() const;

  /// The verdict if no more pairs can be had (the time is used up): as above
  /// with the reported confidence; Same also if the mean lies within the margin
  /// and the interval within two.
  Verdict decideNow() const;

  /// The estimate so far, with the interval of ReportConfidence.
  SpeedupEstimate estimate() const { return estimate(Rule.ReportConfidence); }
  SpeedupEstimate estimate(double Confidence) const;

private:
  struct Interval {
    double Low, High, Mean;
    unsigned Kept;
  };
  Interval interval(double Confidence) const;
  std::optional<Verdict> decideBy(double Confidence) const;

  StoppingRule Rule;
  std::vector<double> Logs;
};

} // namespace cudal1

#endif // CUDAL1_MEASURE_STATISTICS_H
