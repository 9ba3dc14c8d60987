//===- Expectation.h - Experience corrected by measurements -----*- C++ -*-===//

#ifndef CUDAL1_NETWORK_EXPECTATION_H
#define CUDAL1_NETWORK_EXPECTATION_H

namespace cudal1 {

/// Below this expected gain a measurement costs more than it can bring. The
/// engines call a difference under 1 % `same`.
inline constexpr double SmallestWorthwhileSpeedup = 1.01;

/// What a step is expected to gain, in log speedup: the advisor's table moved
/// towards what was measured of the same rule on this kernel.
class Expectation {
public:
  /// \p Advice is what the table says.
  explicit Expectation(double Advice) : Sum(AdviceWeight * Advice) {}

  /// Adds a measurement whose last step was of the same rule; \p SameStep: of
  /// the same subject and parameters too.
  void add(bool SameStep, bool Failed, double LogStep) {
    double W = SameStep ? SameStepWeight : SameRuleWeight;
    Weight += W;
    Sum += W * (Failed ? FailureLogStep : LogStep);
  }
  double mean() const { return Sum / Weight; }

private:
  /// Confidence in the table, counted in measurements of the very same step.
  static constexpr double AdviceWeight = 1.0;
  /// Worth of a measurement of the same rule with another subject or parameter.
  static constexpr double SameRuleWeight = 0.25;
  /// The very same step, measured before another rewrite was made.
  static constexpr double SameStepWeight = 3.0;
  /// A failed step counts as this log speedup: well below stopping.
  static constexpr double FailureLogStep = -0.5;

  double Weight = AdviceWeight;
  double Sum;
};

} // namespace cudal1

#endif // CUDAL1_NETWORK_EXPECTATION_H
