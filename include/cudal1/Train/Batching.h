//===- Batching.h - Decisions put together for the learner ------*- C++ -*-===//

#ifndef CUDAL1_TRAIN_BATCHING_H
#define CUDAL1_TRAIN_BATCHING_H

#include "cudal1/Network/Encoding.h"
#include "cudal1/Train/Learner.h"

namespace cudal1 {

/// Widths of the schema of this build.
NetworkShape shapeOfSchema();

/// The inputs only; what is learnt from them stays empty.
Batch makeBatch(const std::vector<const EncodedDecision *> &Decisions);

/// A policy that does not see a group of state features sees 0 there.
void hideGroup(EncodedDecision &D, FeatureGroup Group);

} // namespace cudal1

#endif // CUDAL1_TRAIN_BATCHING_H
