//===- Contraction.h - Sums of products, one thread an element --*- C++ -*-===//
//
// A contraction nest: each thread computes one element of an output as a sum
// over k of products of two elements, one that depends on the thread's row and
// on k, and one that depends on its column and on k. The textbook matrix
// product, with every transposition of its three matrices. What is added may
// also be something else than a product: squares of differences, say.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_ANALYSIS_CONTRACTION_H
#define CUDAL1_ANALYSIS_CONTRACTION_H

#include "cudal1/Analysis/Kernel.h"

namespace cudal1 {

/// `row < M`: what keeps surplus threads along one axis from doing anything.
struct CoordinateGuard {
  /// BO_LT or BO_LE: the thread takes part where `coordinate Op Bound`.
  clang::BinaryOperatorKind Op = clang::BO_LT;
  const clang::VarDecl *Variable = nullptr;
  /// The bound as written; null where no condition says it, but the launches
  /// start exactly BoundForm threads: BoundText is its text then.
  const clang::Expr *Bound = nullptr;
  Polynomial BoundForm;
  std::string BoundText;
};

/// The number of a thread along one axis of the whole grid, as row or column
/// of the output.
struct ContractionCoordinate {
  /// Of the grid: 0 for x, 1 for y, 2 for z.
  unsigned Axis = 0;
  /// Numbers that a block holds, where that is not its extent along Axis: a
  /// block of one dimension may be cut into rows and columns by
  /// `threadIdx.x / 32` and `threadIdx.x % 32`.
  std::optional<int64_t> Threads;
  /// Of a pair of blockIdx.x, which counts along x, and threadIdx.x, which
  /// counts along y: the grid has to be one block high.
  bool IsOfBlockPerRow = false;
  /// Local variables that hold it, in source order.
  std::vector<const clang::VarDecl *> Variables;
  std::vector<CoordinateGuard> Guards;
};

/// An element that is combined with another, at AlongCoordinate * coordinate +
/// AlongK * k
/// + Rest elements from its base.
struct ContractionFactor {
  const MemoryAccess *Access = nullptr;
  /// What is multiplied: the element, or `__ldg` of its address.
  const clang::Expr *Value = nullptr;
  /// Value and all other mentions of it in the loop.
  std::vector<const clang::Expr *> Mentions;
  Polynomial AlongCoordinate;
  Polynomial AlongK;
  Polynomial Rest;
};

/// An element of memory that all threads read in every turn of the loop and
/// none writes: `*alpha`.
struct ContractionConstant {
  const MemoryAccess *Access = nullptr;
  /// The element, or `__ldg` of its address; all mentions in the loop.
  std::vector<const clang::Expr *> Mentions;
};

struct ContractionNest {
  const Loop *Reduction = nullptr;
  /// The bound of k as written: `k < Bound`.
  const clang::Expr *Bound = nullptr;
  /// Columns are contiguous in the output where either is.
  ContractionCoordinate Rows, Columns;
  /// Left depends on the row, Right on the column.
  ContractionFactor Left, Right;
  std::vector<ContractionConstant> Constants;

  /// The sum: a local variable, or (null) the output element itself.
  const clang::VarDecl *Sum = nullptr;
  /// Mentions of the sum in memory, when it is kept there.
  std::vector<const clang::Expr *> SumElements;
  /// The first value, as written: an initialiser or the right-hand side of an
  /// assignment. Null for a sum in memory that continues what is there.
  const clang::Expr *FirstValue = nullptr;
  /// `C[i] *= beta;` before the loop: FirstValue is beta then.
  const clang::CompoundAssignOperator *FirstUpdate = nullptr;

  /// Statements of the loop's body: temporaries, then the update.
  std::vector<const clang::Stmt *> Body;
  /// The sum is `sum - a * b`.
  bool Subtracts = false;
  /// The addend is a product of the two factors and of Scalars, multiplied in a
  /// floating-point type no narrower than theirs.
  bool IsProduct = false;
  /// Numbers known before the loop, Constants included, as often as they stand.
  std::vector<const clang::Expr *> Scalars;
  /// The addend is the product of the two factors and nothing else, and
  /// multiplied in a floating-point type or, all being integers, in an integer
  /// type: then padding by zeros of the right signs changes no sum.
  bool IsPlainProduct = false;

  /// Variables declared before the loop, in source order, the sum left out.
  std::vector<const clang::VarDecl *> Declarations;
  /// What follows the loop, under the same guards.
  std::vector<const clang::Stmt *> Epilogue;
  /// One write of the output; all others have the same index.
  const MemoryAccess *Output = nullptr;
  /// That index is OutputAlongRow * row + OutputAlongColumn * column +
  /// OutputRest.
  Polynomial OutputAlongRow, OutputAlongColumn, OutputRest;
};

/// Threads of a block along x, y and z, where all launches agree on a constant.
using BlockExtents = std::array<std::optional<int64_t>, 3>;

/// The contraction nest that is all that \p K does; otherwise nothing, and
/// \p Obstacle says why, as one clause.
std::optional<ContractionNest> findContraction(const Kernel &K,
                                               const BlockExtents &Block,
                                               std::string &Obstacle);

/// \p P has one value for all threads of a launch's slice in z, and can be
/// computed from parameters, constants and blockIdx.z.
bool isUniform(const Kernel &K, const Polynomial &P);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_CONTRACTION_H
