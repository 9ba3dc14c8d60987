//===- BuiltinVariables.cpp - threadIdx and its kin in the AST ------------===//

#include "cudal1/Analysis/BuiltinVariables.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

static std::optional<SymbolKind> builtinKind(const Expr *Object) {
  while (true) {
    Object = Object->IgnoreParenImpCasts();
    if (const auto *Opaque = dyn_cast<OpaqueValueExpr>(Object);
        Opaque && Opaque->getSourceExpr())
      Object = Opaque->getSourceExpr();
    else
      break;
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(Object);
  if (!Ref || !Ref->getDecl()->getIdentifier())
    return std::nullopt;
  return llvm::StringSwitch<std::optional<SymbolKind>>(
             Ref->getDecl()->getName())
      .Case("threadIdx", SymbolKind::ThreadIdx)
      .Case("blockIdx", SymbolKind::BlockIdx)
      .Case("blockDim", SymbolKind::BlockDim)
      .Case("gridDim", SymbolKind::GridDim)
      .Default(std::nullopt);
}

std::optional<BuiltinVariable> asBuiltinVariable(const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Pseudo = dyn_cast<PseudoObjectExpr>(E))
    E = Pseudo->getSyntacticForm()->IgnoreParenImpCasts();
  StringRef Member;
  const Expr *Object = nullptr;
  if (const auto *Property = dyn_cast<MSPropertyRefExpr>(E)) {
    if (!Property->getPropertyDecl()->getIdentifier())
      return std::nullopt;
    Member = Property->getPropertyDecl()->getName();
    Object = Property->getBaseExpr();
  } else if (const auto *Field = dyn_cast<MemberExpr>(E)) {
    if (!Field->getMemberDecl()->getIdentifier())
      return std::nullopt;
    Member = Field->getMemberDecl()->getName();
    Object = Field->getBase();
  } else {
    return std::nullopt;
  }
  if (Member.size() != 1 || Member[0] < 'x' || Member[0] > 'z')
    return std::nullopt;
  std::optional<SymbolKind> Kind = builtinKind(Object);
  if (!Kind)
    return std::nullopt;
  return BuiltinVariable{*Kind, unsigned(Member[0] - 'x')};
}

} // namespace cudal1
