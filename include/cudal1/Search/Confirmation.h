//===- Confirmation.h - Measure the winner once more ------------*- C++ -*-===//

#ifndef CUDAL1_SEARCH_CONFIRMATION_H
#define CUDAL1_SEARCH_CONFIRMATION_H

#include "cudal1/Search/Search.h"

namespace cudal1 {

/// The best of many was chosen partly for its luck. Measures it anew; where it
/// is not `faster` this time, those that were the best before it, latest first.
/// Nothing when none of the last few holds: the original stays.
std::optional<Attempt> confirmBest(SearchProblem &P, const SearchOutcome &O,
                                   const SearchContext &C);

} // namespace cudal1

#endif // CUDAL1_SEARCH_CONFIRMATION_H
