//===- AtomicTargets.h - Memory that a kernel only adds to ------*- C++ -*-===//
//
// An array that a kernel touches by atomics of one operation alone, whose
// results nobody uses, may be gathered elsewhere first: in registers where all
// threads add to one address, in a block's own copy where they spread over a
// few bins.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_ATOMICTARGETS_H
#define CUDAL1_LIB_REWRITE_ATOMICTARGETS_H

#include "IndexBound.h"
#include "cudal1/Analysis/Reduction.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// One `atomicAdd(&bins[f], v);`.
struct AtomicUpdate {
  const clang::CallExpr *Call = nullptr;
  /// The call as a statement, conversions to void included.
  const clang::Expr *Statement = nullptr;
  /// f; null where the address is one for all threads.
  const clang::Expr *Index = nullptr;
  /// What f subscripts, as written.
  const clang::Expr *Array = nullptr;
  const clang::Expr *Value = nullptr;
  /// `atomicSub`.
  bool Subtracts = false;
};

/// What such updates gather into: an array of bins, or one counter.
struct AtomicTarget {
  const clang::ValueDecl *Base = nullptr;
  /// The member of what Base points to; null for the element itself.
  const clang::FieldDecl *Field = nullptr;
  /// The name of the array or counter.
  std::string Name;
  /// As written: `bins` or `counts->letters` of an array, the address
  /// `&counts->words` of a counter.
  std::string Text;
  /// Of an element, without qualifiers.
  clang::QualType Type;
  ReductionOp Op = ReductionOp::Sum;
  /// In source order.
  std::vector<AtomicUpdate> Updates;
  /// The bins; nothing for a counter.
  std::optional<IndexBound> Bins;

  bool isExact() const { return Type->isIntegerType(); }
};

/// The targets of \p K, the rest of which leaves them alone, proofs added to
/// \p Evidence; empty where there is none, and \p Obstacle says why.
std::vector<AtomicTarget> findAtomicTargets(const Kernel &K,
                                            const ProgramAnalysis &A,
                                            const StatementTree &Tree,
                                            std::vector<std::string> &Evidence,
                                            std::string &Obstacle);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_ATOMICTARGETS_H
