//===- BuiltinVariables.h - threadIdx and its kin in the AST ----*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_BUILTINVARIABLES_H
#define CUDAL1_ANALYSIS_BUILTINVARIABLES_H

#include "cudal1/Analysis/SymbolTable.h"

namespace cudal1 {

struct BuiltinVariable {
  SymbolKind Kind;
  unsigned Axis;
};

/// `threadIdx.x` and the like: a PseudoObjectExpr over an MSPropertyRefExpr in
/// Clang's headers. Looks through parentheses and implicit casts.
std::optional<BuiltinVariable> asBuiltinVariable(const clang::Expr *E);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_BUILTINVARIABLES_H
