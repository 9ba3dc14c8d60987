//===- ContractionUpdate.h - The loop of a contraction nest -----*- C++ -*-===//

#ifndef CUDAL1_LIB_ANALYSIS_CONTRACTIONUPDATE_H
#define CUDAL1_LIB_ANALYSIS_CONTRACTIONUPDATE_H

#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Analysis/Contraction.h"

namespace cudal1 {

/// What the body of a reduction loop does: `sum += a * b`, in any spelling, or
/// `sum += f(a, b)` of two elements and values known before the loop.
struct ContractionUpdate {
  std::vector<const clang::Stmt *> Body;
  /// The sum: a local variable, or the accesses to one element.
  const clang::VarDecl *Sum = nullptr;
  std::vector<const MemoryAccess *> SumAccesses;
  /// The two elements that are combined, in the order of the text.
  std::array<const MemoryAccess *, 2> Factors{};
  /// All mentions of each: the element, or `__ldg` of its address.
  std::array<std::vector<const clang::Expr *>, 2> Values{};
  /// Elements that all threads read alike, `*alpha`: each mention as above.
  std::vector<ContractionConstant> Constants;
  /// The addend is a product of the two elements and of Scalars, multiplied in
  /// a floating-point type no narrower than theirs.
  bool IsProduct = false;
  /// Numbers known before the loop, Constants included, as often as they stand.
  std::vector<const clang::Expr *> Scalars;
  bool Subtracts = false;
  bool IsPlainProduct = false;
};

/// The update that is all that \p L does, or nothing and why.
std::optional<ContractionUpdate> contractionUpdate(const Kernel &K,
                                                   const Loop &L,
                                                   const Assignments &Changes,
                                                   std::string &Obstacle);

/// The access of \p K whose lvalue is \p E, parentheses aside; null for any
/// other expression.
const MemoryAccess *accessAt(const Kernel &K, const clang::Expr *E);

} // namespace cudal1

#endif // CUDAL1_LIB_ANALYSIS_CONTRACTIONUPDATE_H
