//===- BoundsTests.h - Tests that hold in all iterations or not -*- C++ -*-===//
//
// A filter tests in each iteration whether `x + fx` lies in the image. Such a
// comparison is linear in the loops' variables: where it holds for the least
// favourable of their values, it holds for all. These values are ones that some
// iteration has, so that to compute the comparison for them once, before the
// loop, is nothing that the loop would not do.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_BOUNDSTESTS_H
#define CUDAL1_LIB_REWRITE_BOUNDSTESTS_H

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/Kernel.h"
#include "cudal1/Rewrite/StatementTree.h"

namespace cudal1 {

/// One place in a loop that a test decides.
struct BoundsTest {
  /// IfStmt or ConditionalOperator.
  const clang::Stmt *Where = nullptr;
  /// `if (outside) continue;`: the comparisons hold where nothing is left out.
  bool Continues = false;
  /// Operands of && (or ||) that can be decided before the loop; in order, the
  /// first ones.
  std::vector<const clang::BinaryOperator *> Decided;
  /// What is left of the condition; null for nothing.
  std::vector<const clang::Expr *> Rest;
};

struct BoundsTests {
  /// The outermost loop.
  const Loop *Root = nullptr;
  std::vector<BoundsTest> Tests;
  /// That all decided comparisons hold in all iterations: `x - 3 >= 0`, in the
  /// order in which the loop would compute them.
  std::vector<std::string> Conditions;
  /// For evidence: names of the loops' variables that are decided over.
  std::vector<std::string> Variables;
};

/// The tests of \p Root and the loops in it; without any when there is nothing
/// to decide, or when the loop does more than compute and access memory.
BoundsTests findBoundsTests(const Kernel &K, const StatementTree &Tree,
                            const Assignments &Changes, const Loop &Root);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_BOUNDSTESTS_H
