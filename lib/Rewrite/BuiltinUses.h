//===- BuiltinUses.h - Mentions of threadIdx and its kin --------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_BUILTINUSES_H
#define CUDAL1_LIB_REWRITE_BUILTINUSES_H

#include "cudal1/Analysis/BuiltinVariables.h"
#include "cudal1/Analysis/Kernel.h"
#include "cudal1/Rewrite/EditBuilder.h"

namespace cudal1 {

/// One mention of a component of a built-in variable in a kernel's text.
struct BuiltinUse {
  SymbolKind Kind;
  unsigned Axis;
  /// The whole expression, `threadIdx.x`.
  const clang::Expr *Expression;
  /// The component's token, `x`.
  clang::SourceLocation Member;
};

/// Every mention of threadIdx, blockIdx, blockDim and gridDim in the text of
/// \p K, each of one component and each written in the kernel itself. Nothing,
/// with \p Obstacle, when one stands in a macro, in an inactive branch or in a
/// function that the kernel calls, or when a whole variable is used. With
/// \p DropsBranches inactive branches do not count.
std::optional<std::vector<BuiltinUse>> builtinUses(const Kernel &K,
                                                   const EditBuilder &Texts,
                                                   std::string &Obstacle,
                                                   bool DropsBranches = false);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_BUILTINUSES_H
