//===- SharedArrayUses.cpp - How a kernel uses a shared array -------------===//

#include "SharedArrayUses.h"

#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Rewrite/ElementInLoop.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// An element whose address goes to an atomic function and nowhere else.
static bool isAtomicOperand(const StatementTree &Tree, const Expr *Element) {
  const auto *Address =
      dyn_cast_or_null<UnaryOperator>(Tree.parentOfValue(Element));
  if (!Address || Address->getOpcode() != UO_AddrOf)
    return false;
  const Stmt *Parent = Tree.parentOfValue(Address);
  while (isa_and_nonnull<ImplicitCastExpr>(Parent))
    Parent = Tree.parentOfValue(Parent);
  const auto *Call = dyn_cast_or_null<CallExpr>(Parent);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && classify(*Callee) == DeviceFunction::Atomic;
}

/// The element that a mention of an array of \p Dimensions designates; nothing
/// when the array or a row of it is used as a whole.
static std::optional<ArrayUse> elementOf(const StatementTree &Tree,
                                         const DeclRefExpr *Ref,
                                         size_t Dimensions) {
  ArrayUse Use;
  Use.Mention = Ref;
  Use.Element = Ref;
  for (size_t I = 0; I < Dimensions; ++I) {
    const auto *Decay =
        dyn_cast_or_null<ImplicitCastExpr>(Tree.parentOfValue(Use.Element));
    if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
      return std::nullopt;
    const auto *Subscript =
        dyn_cast_or_null<ArraySubscriptExpr>(Tree.parentOfValue(Decay));
    if (!Subscript || Subscript->getBase()->IgnoreParens() != Decay)
      return std::nullopt;
    Use.Element = Subscript;
    Use.LastSubscript = Subscript->getIdx();
  }
  if (valueUse(Tree, Use.Element) == ValueUse::Other &&
      !isAtomicOperand(Tree, Use.Element))
    return std::nullopt;
  return Use;
}

std::optional<std::vector<ArrayUse>> elementUsesOf(const StatementTree &Tree,
                                                   const ArrayVariable &Array) {
  std::vector<ArrayUse> Uses;
  bool Whole = findIn(Tree.body(), [&](const Stmt *S) {
    if (const auto *Lambda = dyn_cast<LambdaExpr>(S))
      return llvm::any_of(Lambda->captures(), [&](const LambdaCapture &C) {
        return C.capturesVariable() && C.getCapturedVar() == Array.Decl;
      });
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (!Ref || Ref->getDecl() != Array.Decl)
      return false;
    std::optional<ArrayUse> Use = elementOf(Tree, Ref, Array.Extents.size());
    if (Use)
      Uses.push_back(*Use);
    return !Use;
  });
  if (Whole)
    return std::nullopt;
  return Uses;
}

int64_t bytesOf(const Kernel &K, const ArrayVariable &Array) {
  int64_t Size = K.Context->getTypeSizeInChars(Array.ElementType).getQuantity();
  for (int64_t Extent : Array.Extents)
    Size *= Extent;
  return Size;
}

std::optional<int64_t> staticSharedBytes(const Kernel &K) {
  int64_t Sum = 0;
  for (const ArrayVariable &Array : K.SharedArrays) {
    if (Array.Dynamic || Array.ElementType->isDependentType())
      return std::nullopt;
    Sum += bytesOf(K, Array);
  }
  return Sum;
}

} // namespace cudal1
