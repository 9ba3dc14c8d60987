//===- KeptValues.h - Values that several loops of a thread use -*- C++ -*-===//
//
// Loops of one block that walk the same elements, one after the other: a
// softmax reads each row for its maximum, its sum and its result. What the
// first of them reads, or computes by a function, has the same value for the
// others.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_KEPTVALUES_H
#define CUDAL1_LIB_REWRITE_KEPTVALUES_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// A loop of such a group: `for (int c = start; c < end; c += step)`.
struct KeptLoop {
  const Loop *L = nullptr;
  const clang::ForStmt *For = nullptr;
  const clang::Expr *Start = nullptr;
  /// What is added to the variable.
  const clang::Expr *Step = nullptr;
  const clang::Expr *Condition = nullptr;
};

/// A value of an iteration, with all places that have it.
struct KeptValue {
  /// The array that is read; null for a call.
  const clang::ValueDecl *Base = nullptr;
  clang::QualType Type;
  struct Mention {
    const clang::Expr *E = nullptr;
    /// Number of the loop in the group.
    size_t InLoop = 0;
  };
  /// In source order. The first is always evaluated.
  std::vector<Mention> Mentions;
  /// The first mention needs what the iteration declares, so that it must be
  /// evaluated in its place.
  bool InPlace = false;

  bool isLoad() const { return Base; }
};

struct KeptGroup {
  /// In source order, two or more, all in one block.
  std::vector<KeptLoop> Loops;
  /// Loads come first; all others are made of them.
  std::vector<KeptValue> Values;
  std::vector<std::string> Evidence;
};

/// The groups of \p K whose loops have a value in common.
std::vector<KeptGroup> findKeptGroups(const Kernel &K, const ProgramAnalysis &A,
                                      const StatementTree &Tree);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_KEPTVALUES_H
