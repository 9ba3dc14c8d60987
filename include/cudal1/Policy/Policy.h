//===- Policy.h - Which rewrite to try next ---------------------*- C++ -*-===//
///
/// \file
/// A Policy looks at one kernel, at what was already done to it and at what
/// came of it, and scores every legal next step. It knows nothing of GPUs and
/// of the search that asks it, so a learned policy and a hand-written table
/// are interchangeable.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_POLICY_POLICY_H
#define CUDAL1_POLICY_POLICY_H

#include "cudal1/Network/Decision.h"
#include "cudal1/Rewrite/Rule.h"
#include "llvm/ADT/ArrayRef.h"

namespace cudal1 {

/// One legal next step: a Site with one of its choices of parameters. Points
/// into the list of sites: dead as soon as the program is parsed again.
struct Action {
  const Site *Where = nullptr;
  const RewriteParams *Params = nullptr;
};

/// A measured Variant of the same kernel (the contrast): what others did, and
/// what it brought.
struct Exemplar {
  std::vector<Rewrite> Rewrites;
  /// ln(original time ÷ variant time) of the kernels that it touched; 0 when
  /// it failed.
  double LogSpeedup = 0;
  /// The same against the Variant that it was made from: what its last
  /// Rewrite alone brought.
  double LogStep = 0;
  /// Wrong result, compile error, crash or time limit.
  bool Failed = false;
};

/// All that a policy may look at.
struct PolicyState {
  /// Null for rewrites of host code.
  const Kernel *TheKernel = nullptr;
  /// The kernel's share of GPU time, 0 to 1; absent without a profile.
  std::optional<double> TimeShare;
  /// Rewrites of this kernel in the current Variant, in order.
  llvm::ArrayRef<Rewrite> Applied;
  /// In the order of measuring.
  llvm::ArrayRef<Exemplar> Exemplars;
  llvm::ArrayRef<Action> Actions;
  /// ln(original time ÷ time) of the current Variant's kernel, where measured.
  double LogSpeedup = 0;
  /// Features of groups Profile and Gpu (see Network/Features.def), where they
  /// are known.
  const NamedValues *Facts = nullptr;
};

/// How promising each step is. Higher is better; scores of different calls
/// are on one scale. A step that does not score above Stop is not worth
/// measuring.
struct PolicyScores {
  /// As many as PolicyState::Actions, in their order.
  std::vector<double> Actions;
  /// The score of leaving the kernel as it is.
  double Stop = 0;
};

class Policy {
public:
  virtual ~Policy();

  /// As in reports: "advisor".
  virtual llvm::StringRef name() const = 0;
  virtual PolicyScores score(const PolicyState &State) const = 0;
};

/// True when applying \p A is the same step as \p R: rule, subject and
/// parameters, whatever line it has moved to.
bool isSameStep(const Action &A, const Rewrite &R);

} // namespace cudal1

#endif // CUDAL1_POLICY_POLICY_H
