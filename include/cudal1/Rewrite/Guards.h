//===- Guards.h - What the conditions around a statement prove --*- C++ -*-===//
//
// A statement under `if (row < n)` runs only where n - row - 1 >= 0. Such facts
// prove that a loop runs at least once, which is what makes it right to load
// before the loop what the loop would load.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_REWRITE_GUARDS_H
#define CUDAL1_REWRITE_GUARDS_H

#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

class Guards {
public:
  /// Gathers what holds whenever \p At is reached: conditions of the ifs
  /// around it, `if (...) return;` before it, bounds of the loops around it.
  /// Only conditions over values that do not change count.
  Guards(const Kernel &K, const StatementTree &Tree, const clang::Stmt *At);

  /// True when \p P >= 0 follows, taking threadIdx and its kin, unsigned
  /// parameters and sizes as not negative. Index arithmetic is taken not to
  /// overflow.
  bool provesNonNegative(const Polynomial &P) const;

private:
  void addCondition(const clang::Expr *Condition, bool Holds);
  void addComparison(const clang::BinaryOperator *Comparison, bool Holds);
  void addLoopBounds(const clang::Stmt *LoopStatement);
  void addFact(const Polynomial &P);
  bool isNonNegative(const Polynomial &P) const;
  bool isNonNegative(SymbolId Id) const;
  bool hasExactValue(const clang::Expr *E, const Polynomial &Form,
                     bool UnsignedComparison) const;

  const Kernel &K;
  /// Each is known to be >= 0.
  std::vector<Polynomial> Facts;
};

/// The loop of \p K whose statement is \p S, or null.
const Loop *loopOf(const Kernel &K, const clang::Stmt *S);

/// True when \p L makes at least one iteration whenever it is reached.
bool runsAtLeastOnce(const Kernel &K, const StatementTree &Tree, const Loop &L);

} // namespace cudal1

#endif // CUDAL1_REWRITE_GUARDS_H
