//===- Ranges.h - Between which numbers an index lies -----------*- C++ -*-===//

#ifndef CUDAL1_REWRITE_RANGES_H
#define CUDAL1_REWRITE_RANGES_H

#include "cudal1/Analysis/Kernel.h"

namespace cudal1 {

/// A closed interval of integers.
struct Range {
  int64_t Least = 0;
  int64_t Most = 0;
};

/// The values that \p P takes in \p K, from constant loop bounds and from the
/// block shapes of K.Launches, where all of them are constant. (Whether these
/// are all launches, ProgramAnalysis::seesEveryLaunch tells.) Nothing when a
/// symbol is not bounded.
std::optional<Range> rangeOf(const Kernel &K, const Polynomial &P);

} // namespace cudal1

#endif // CUDAL1_REWRITE_RANGES_H
