//===- HostPointers.h - Which buffers does a launch pass? -------*- C++ -*-===//
//
// Answers whether two pointer expressions of the host can point into one
// buffer. Two arguments support each other:
//
// - where a pointer can come from: the allocations (each named by its call and
//   the calls around it) that it may point into, over all of the unit;
// - who owns a buffer: a slot that only ever receives fresh memory, null, or
//   the buffer of another such slot in exchange for its own shares its buffer
//   with no other such slot at any time. This is what proves double buffering.
//
// An access outside of the allocation that a pointer points into is undefined,
// and so is one through a pointer that was freed.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_ANALYSIS_HOSTPOINTERS_H
#define CUDAL1_ANALYSIS_HOSTPOINTERS_H

#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Analysis/OverlapAnswer.h"
#include "llvm/ADT/SmallVector.h"
#include <set>

namespace cudal1 {

/// An activation of a function, as far as it is known: the calls that led to
/// it, innermost first.
struct HostContext {
  const clang::FunctionDecl *Function = nullptr;
  llvm::SmallVector<const clang::Expr *, 4> Calls;
};

/// One piece of memory, named by where it is made.
struct HostBuffer {
  enum Kind { Allocation, Variable, Container };
  Kind K = Allocation;
  /// Allocation: the allocating expression, then the calls around it.
  llvm::SmallVector<const clang::Expr *, 4> Chain;
  /// Variable, Container: the declaration.
  const clang::ValueDecl *Decl = nullptr;
  clang::SourceLocation Loc;

  bool mayBe(const HostBuffer &Other) const;
};

/// Where a pointer may point into.
struct PointsTo {
  std::vector<HostBuffer> Buffers;
  /// Not empty: it may point anywhere, because of this clause.
  std::string Unknown;

  void merge(const PointsTo &Other);
};

class HostPointers {
public:
  explicit HostPointers(const HostIndex &Index) : Index(Index) {}

  /// May the pointers \p A and \p B, both evaluated at one point of an
  /// activation of \p In.Function, point into the same buffer?
  OverlapAnswer mayOverlap(const clang::Expr *A, const clang::Expr *B,
                           const HostContext &In) const;
  /// May \p E point into the variable \p V of device memory?
  OverlapAnswer mayPointInto(const clang::Expr *E, const clang::VarDecl *V,
                             const HostContext &In) const;

  /// Where \p E, evaluated in an activation of \p In.Function, may point into.
  PointsTo pointsTo(const clang::Expr *E, const HostContext &In) const;

private:
  class Query;
  const HostIndex &Index;
};

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_HOSTPOINTERS_H
