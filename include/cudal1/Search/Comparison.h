//===- Comparison.h - Which of two Variants is faster -----------*- C++ -*-===//

#ifndef CUDAL1_SEARCH_COMPARISON_H
#define CUDAL1_SEARCH_COMPARISON_H

#include "cudal1/Search/Search.h"

namespace cudal1 {

/// ln(speedup against the original) with its standard error.
struct LogSpeedup {
  double Mean = 0;
  double StandardError = 0;
};

/// The speedup of one measurement; 0 ± 0 for the original itself and for
/// Variants without figures.
LogSpeedup logSpeedup(const Measurement &M);

/// What \p New gains over \p Old (null: the original), as a log ratio of the
/// time of all kernels that either of them touched, or of the span of the GPU's
/// work when they differ in what the host does. Both were measured against the
/// original, so that drift between the two cancels.
LogSpeedup logGain(const Attempt &New, const Attempt *Old);

/// True when \p New is right, faster than the original by its own verdict, and
/// faster than \p Old by more than noise and by more than 1 %.
bool isBetter(const Attempt &New, const Attempt *Old);

} // namespace cudal1

#endif // CUDAL1_SEARCH_COMPARISON_H
