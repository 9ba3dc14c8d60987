//===- SharedTrees.h - Trees over the threads of a block --------*- C++ -*-===//
//
// The textbook's reduction of a block: each thread puts a value into its own
// element of a shared array, and a loop with a barrier in each of its steps
// combines elements a distance apart that halves or doubles, until the first
// one holds the result.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_SHAREDTREES_H
#define CUDAL1_LIB_REWRITE_SHAREDTREES_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Analysis/Reduction.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// What a tree does to one array.
struct TreeArray {
  const clang::VarDecl *Array = nullptr;
  Reduction R;
  /// Accesses of threads to their own elements before the loop, and to the
  /// first element after it, in source order.
  std::vector<const MemoryAccess *> Own, Results;
  /// The statement beside the loop that Own begins in, and the assignment that
  /// it is, if it is one.
  const clang::Stmt *First = nullptr;
  const clang::BinaryOperator *Assignment = nullptr;
  /// Its elements may still be read by other threads from a tree before.
  bool IsUsedBefore = false;
};

struct SharedTree {
  /// A `for`, or a `while` whose variable Counter declares.
  const clang::Stmt *Loop = nullptr;
  const clang::DeclStmt *Counter = nullptr;
  /// The distance doubles from 1 on, or else halves.
  bool Doubles = false;
  std::vector<TreeArray> Arrays;
  /// The author's barrier right before the loop, if there is one.
  const clang::Stmt *Before = nullptr;
  /// The number of a thread, as written at its own element.
  std::string Thread;
};

struct SharedTrees {
  /// Threads of a block at all launches: a power of two, along x.
  int64_t BlockSize = 0;
  /// In source order.
  std::vector<SharedTree> Trees;

  /// The same values are combined in the same order as by shuffles.
  bool isExact(const StatementTree &Tree) const;
};

/// The trees of \p K whose arrays serve nothing else; empty where there is
/// none, and \p Obstacle says why, as one clause.
SharedTrees findSharedTrees(const Kernel &K, const ProgramAnalysis &A,
                            const StatementTree &Tree, std::string &Obstacle);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_SHAREDTREES_H
