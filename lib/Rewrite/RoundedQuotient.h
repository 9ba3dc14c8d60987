//===- RoundedQuotient.h - Functions that divide and round up ---*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_ROUNDEDQUOTIENT_H
#define CUDAL1_LIB_REWRITE_ROUNDEDQUOTIENT_H

#include "clang/AST/Expr.h"
#include <optional>

namespace cudal1 {

/// The arguments of a call that gives their quotient, rounded up.
struct RoundedQuotient {
  const clang::Expr *Dividend = nullptr;
  const clang::Expr *Divisor = nullptr;
};

/// \p E calls a function of the program that does nothing but return
/// `(a + b - 1) / b` of its two parameters, integers of 32 bits or more.
std::optional<RoundedQuotient> roundedQuotient(const clang::Expr *E,
                                               const clang::ASTContext &C);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_ROUNDEDQUOTIENT_H
