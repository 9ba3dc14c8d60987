//===- RowKernel.h - Kernels in which a thread walks a row ------*- C++ -*-===//
//
// In such a kernel the number of a thread in the grid is the number of a row,
// and its loops walk the elements of the row. Each loop either reduces into a
// value or handles every element by itself; all else depends on the row alone.
// Then several threads may share a row: whatever is computed outside of the
// loops has one value for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_ROWKERNEL_H
#define CUDAL1_LIB_REWRITE_ROWKERNEL_H

#include "cudal1/Analysis/ProgramAnalysis.h"
#include "cudal1/Analysis/Reduction.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// A loop whose iterations the threads of a row share.
struct RowLoop {
  const Loop *L = nullptr;
  const clang::ForStmt *For = nullptr;
  /// Where the variable starts, and how it is stepped, as written.
  const clang::Expr *Start = nullptr;
  const clang::Expr *Step = nullptr;
  std::vector<Reduction> Reductions;
  /// It begins at element 1, but may begin at 0 like others: what element 0
  /// has to add is there already and changes nothing.
  bool FromZero = false;
};

/// An element of memory that a row uses like a variable: it becomes one.
struct RowElement {
  /// All accesses of the kernel to its array, in source order.
  std::vector<const MemoryAccess *> Uses;
  /// `y[row] = 0;`, the first of them, and the last statement beside it that
  /// uses the element.
  const clang::BinaryOperator *First = nullptr;
  const clang::Stmt *Last = nullptr;
};

struct RowKernel {
  /// Holds the row's number; null when one thread does all there is to do.
  const clang::VarDecl *Row = nullptr;
  /// Declares it.
  const clang::DeclStmt *Declaration = nullptr;
  /// Rows are numbers less than this parameter.
  const clang::ParmVarDecl *Bound = nullptr;
  /// In source order.
  std::vector<RowLoop> Loops;
  std::vector<RowElement> Elements;
  /// Statements outside of the loops that store or make an atomic operation, in
  /// source order: for one thread of the row only.
  std::vector<const clang::Expr *> Stores;
  /// Loops whose elements such a statement uses afterwards.
  std::vector<const clang::ForStmt *> Barriers;
  /// What was proved, one clause each.
  std::vector<std::string> Evidence;

  bool isExact() const;
};

/// How the loops of neighbouring rows walk memory.
enum class RowOrder {
  Along, ///< Each along its row, in steps of one element.
  Across ///< Side by side, over neighbouring elements.
};

/// What \p K is made of if it is such a kernel, with some access of \p Order;
/// otherwise nothing, and \p Obstacle says why, as one clause.
std::optional<RowKernel> findRowKernel(const Kernel &K,
                                       const ProgramAnalysis &A,
                                       const StatementTree &Tree,
                                       RowOrder Order, std::string &Obstacle);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_ROWKERNEL_H
