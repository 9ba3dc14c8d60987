//===- AdvisorPolicy.h - A policy from a table of experience ----*- C++ -*-===//

#ifndef CUDAL1_POLICY_ADVISORPOLICY_H
#define CUDAL1_POLICY_ADVISORPOLICY_H

#include "cudal1/Policy/Policy.h"
#include "cudal1/Policy/SiteFeatures.h"

namespace cudal1 {

/// Scores a step by the speedup that its kind usually brings where the code
/// looks as it does here (a table in AdvisorPolicy.cpp), corrected by what was
/// measured of the same kind of step on this kernel. Scores are expected log
/// speedups of the kernel; Stop is a gain too small to be worth a compile.
class AdvisorPolicy : public Policy {
public:
  llvm::StringRef name() const override { return "advisor"; }
  PolicyScores score(const PolicyState &State) const override;
};

/// What the table alone says of a step.
struct Advice {
  /// Expected kernel time before ÷ after; 1 means no gain is expected.
  double Speedup = 1;
  /// The evidence that the row rests on, in words.
  llvm::StringRef Reason;
};
Advice advise(llvm::StringRef RuleName, const SiteFeatures &Features,
              const RewriteParams &Params);

} // namespace cudal1

#endif // CUDAL1_POLICY_ADVISORPOLICY_H
