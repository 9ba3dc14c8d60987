//===- IndexBound.h - How many bins can an index name? ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_INDEXBOUND_H
#define CUDAL1_LIB_REWRITE_INDEXBOUND_H

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

class ProgramAnalysis;

/// Indices of an array, all of them or most.
struct IndexBound {
  /// Elements from 0 on that are worth a place close by.
  int64_t Count = 0;
  /// Count as the author spells it, or its digits.
  std::string Text;
  /// No index lies outside, whatever a launch passes.
  bool Proved = false;
  /// No index is negative.
  bool NonNegative = false;
  /// Why, as one clause of evidence.
  std::string Reason;
};

/// What bounds \p Index, a subscript of the array \p Array (a pointer, or an
/// array of known extent) in \p K; nothing where no bound of at most
/// \p MostElements is seen. A bound that is known at run time only counts as
/// what all launches pass, or else as a size of our own.
std::optional<IndexBound>
boundOfIndex(const Kernel &K, const ProgramAnalysis &A,
             const StatementTree &Tree, const clang::Expr *Array,
             const clang::Expr *Index, int64_t MostElements);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_INDEXBOUND_H
