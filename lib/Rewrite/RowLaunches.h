//===- RowLaunches.h - Launches of several threads a row --------*- C++ -*-===//
//
// A kernel with one thread a row is launched with a grid that covers the rows.
// When several threads come to share a row, grid and block change at every
// launch.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_ROWLAUNCHES_H
#define CUDAL1_LIB_REWRITE_ROWLAUNCHES_H

#include "LaunchEdits.h"

namespace cudal1 {

class RowLaunches {
public:
  /// The launches of \p K, one and all able to be changed, whose grids cover
  /// the numbers less than \p Bound in one dimension; otherwise nothing, and
  /// \p Obstacle says why.
  static std::optional<RowLaunches> of(const Kernel &K,
                                       const ProgramAnalysis &A,
                                       const clang::ParmVarDecl &Bound,
                                       std::string &Obstacle);

  /// The launches of \p K, one and all able to be changed, which are of one
  /// thread each.
  static std::optional<RowLaunches>
  ofOneThread(const Kernel &K, const ProgramAnalysis &A, std::string &Obstacle);

  /// Writes grid and block of every launch, and the LaunchTransform, for blocks
  /// of \p Threads threads that do \p Rows rows each.
  void write(EditBuilder &Builder, int64_t Rows, int64_t Threads) const;
  std::string evidence() const;

private:
  RowLaunches(const ProgramAnalysis &A, const clang::ParmVarDecl *Bound)
      : A(&A), Bound(Bound) {}
  std::string blocks(const Launch &L, int64_t Rows,
                     clang::SourceLocation Before) const;
  clang::SourceRange placeOf(const LaunchGeometry &G) const;
  const clang::VarDecl *shapeVariable(const clang::Expr *E) const;

  const ProgramAnalysis *A;
  /// Null for launches of one thread.
  const clang::ParmVarDecl *Bound;
  LaunchSet Set;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_ROWLAUNCHES_H
