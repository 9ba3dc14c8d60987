//===- LinearTerms.h - Sums of scaled values --------------------*- C++ -*-===//
//
// Reads `alpha * sum + beta * C[i]` as terms: which of the values that matter
// each is a product of, and the factors known before the launch. All of the
// arithmetic has to be done in one floating-point type.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_LINEARTERMS_H
#define CUDAL1_LIB_REWRITE_LINEARTERMS_H

#include "cudal1/Analysis/Contraction.h"
#include "llvm/ADT/APFloat.h"

namespace cudal1 {

/// A product of values that matter, as a set of bits, and of factors.
struct LinearTerm {
  unsigned Values = 0;
  bool Negative = false;
  /// Parameters and constants other than 1.
  std::vector<const clang::Expr *> Factors;
};

class LinearTerms {
public:
  /// The bit of a value that matters, or 0 for any other expression.
  using Classifier = llvm::function_ref<unsigned(const clang::Expr *)>;

  LinearTerms(const Kernel &K, clang::QualType Type, Classifier Values)
      : K(K), Type(Type), Values(Values) {}

  /// The terms of \p E; none for a zero. Nothing when it is no such sum.
  std::optional<std::vector<LinearTerm>> of(const clang::Expr *E) const;

  /// The value of a constant that the type holds exactly.
  std::optional<llvm::APFloat> constant(const clang::Expr *E) const;

private:
  using Terms = std::optional<std::vector<LinearTerm>>;
  Terms product(const clang::Expr *A, const clang::Expr *B) const;
  Terms sum(const clang::Expr *A, const clang::Expr *B, bool Subtracts) const;
  Terms variable(const clang::DeclRefExpr *Ref) const;

  const Kernel &K;
  clang::QualType Type;
  Classifier Values;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_LINEARTERMS_H
