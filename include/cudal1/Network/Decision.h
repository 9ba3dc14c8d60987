//===- Decision.h - One question to the learned policy ----------*- C++ -*-===//
///
/// \file
/// What a policy is asked, in names and plain numbers: as the optimiser sees
/// it, as the environment sends it and as the record of measurements keeps it.
/// This layer needs neither LLVM nor libtorch, so that the tool and the trainer
/// share it.
///
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_NETWORK_DECISION_H
#define CUDAL1_NETWORK_DECISION_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cudal1 {

/// Feature name (see Features.def) → its value, unscaled. Names that the schema
/// lacks are ignored; those missing count as 0.
using NamedValues = std::map<std::string, double>;

/// A Rewrite as the policy tells them apart.
struct StepKey {
  std::string Rule;
  std::string Subject;
  std::map<std::string, int64_t> Params;

  friend bool operator==(const StepKey &, const StepKey &) = default;
};

/// A legal next step.
struct CandidateStep {
  StepKey Key;
  NamedValues Features;
};

/// A measured Variant of the same kernel.
struct MeasuredExample {
  /// In order; the last is the one that LogStep is of.
  std::vector<StepKey> Rewrites;
  double LogSpeedup = 0; ///< ln(original time ÷ time); 0 when it failed
  double LogStep = 0;    ///< the same against the Variant it was made from
  bool Failed = false;   ///< wrong result, compile error, crash or time limit
};

/// A kernel in one Variant, its legal next steps, and what was measured of its
/// other Variants.
struct Decision {
  NamedValues State;
  std::vector<StepKey> Applied;
  std::vector<CandidateStep> Actions;
  std::vector<MeasuredExample> Examples;
};

} // namespace cudal1

#endif // CUDAL1_NETWORK_DECISION_H
