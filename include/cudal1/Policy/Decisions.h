//===- Decisions.h - The analysis as the network's features -----*- C++ -*-===//

#ifndef CUDAL1_POLICY_DECISIONS_H
#define CUDAL1_POLICY_DECISIONS_H

#include "cudal1/Network/Decision.h"
#include "cudal1/Policy/Policy.h"

namespace cudal1 {

/// The features of group Code of a kernel, by name; null: of host code.
NamedValues codeFeatures(const Kernel *K);

/// The question that \p State is, with all that is known.
Decision decisionOf(const PolicyState &State);

StepKey keyOf(const Rewrite &R);

} // namespace cudal1

#endif // CUDAL1_POLICY_DECISIONS_H
