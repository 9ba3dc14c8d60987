//===- PriorKnowledge.h - Exemplars that an episode begins with -*- C++ -*-===//

#ifndef CUDAL1_LIB_TRAIN_PRIORKNOWLEDGE_H
#define CUDAL1_LIB_TRAIN_PRIORKNOWLEDGE_H

#include "cudal1/Train/Config.h"

namespace cudal1 {

/// Half of the episodes begin with nothing, as the optimiser does on a new
/// kernel; the others with one to C.PriorExemplars of \p Known. Indices.
std::vector<size_t> drawPrior(const std::vector<RecordedStep> &Known,
                              const TrainConfig &C, Random &R);

std::vector<MeasuredExample> examplesOf(Environment &E,
                                        const std::vector<RecordedStep> &Known,
                                        const std::vector<size_t> &Drawn);

} // namespace cudal1

#endif // CUDAL1_LIB_TRAIN_PRIORKNOWLEDGE_H
