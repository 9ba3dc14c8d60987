//===- Loop.h - A loop of a kernel ------------------------------*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_LOOP_H
#define CUDAL1_ANALYSIS_LOOP_H

#include "cudal1/Analysis/Polynomial.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace cudal1 {

struct Loop {
  /// ForStmt, WhileStmt, DoStmt or CXXForRangeStmt.
  const clang::Stmt *Statement = nullptr;
  const Loop *Parent = nullptr;
  /// 1 for an outermost loop.
  unsigned Depth = 1;

  /// The variable of a `for` that starts at Lower and that only the loop's
  /// increment changes, by StepForm; null for any other loop.
  const clang::VarDecl *Variable = nullptr;
  SymbolId VariableSymbol = 0;
  Polynomial Lower;
  /// Constant step, when it is one.
  std::optional<int64_t> Step;
  /// The step as a polynomial (`blockDim.x * gridDim.x` in a grid-stride loop).
  Polynomial StepForm;
  /// There is such a variable, and the loop does not change its bound. Only
  /// then are Upper and TripCount set.
  bool Counted = false;
  /// Exclusive bound: the loop runs while Variable < Upper (Step > 0) or
  /// Variable > Upper (Step < 0).
  Polynomial Upper;
  /// Number of iterations, when known at compile time.
  std::optional<uint64_t> TripCount;

  /// Something in the body itself (nested loops included).
  bool HasBarrier = false;
  /// break, return or goto that leaves this loop.
  bool HasEarlyExit = false;
  bool HasContinue = false;
  /// A `#pragma unroll` of the author's stands before it.
  bool HasUnrollPragma = false;
  /// No loop inside.
  bool IsInnermost = true;
  /// Variables of the kernel assigned somewhere in the loop.
  std::vector<const clang::VarDecl *> Assigned;

  const clang::Stmt *body() const;
  /// True for this loop and the loops around it.
  bool isInside(const Loop *Outer) const {
    for (const Loop *L = this; L; L = L->Parent)
      if (L == Outer)
        return true;
    return false;
  }
  bool assigns(const clang::VarDecl *V) const {
    for (const clang::VarDecl *A : Assigned)
      if (A == V)
        return true;
    return false;
  }
};

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_LOOP_H
