//===- ThreadNumbers.cpp - Threads as rows and columns of a grid ----------===//

#include "ThreadNumbers.h"

#include "cudal1/Analysis/BuiltinVariables.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace cudal1 {

ThreadNumbers::ThreadNumbers(const Kernel &K, const BlockExtents &Block,
                             NumberedAxes Numbered)
    : K(K), Block(Block), Numbered(Numbered) {
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    Local[Axis] = K.Symbols.builtin(SymbolKind::ThreadIdx, Axis);
  if (Numbered == NumberedAxes::BlockIsRow) {
    Local = {K.Symbols.builtin(SymbolKind::BlockIdx, 0), Local[0], Local[2]};
    Cut = {1, Block[0], std::nullopt};
  }
  if (Numbered == NumberedAxes::Volume && !K.UsesThreadIdx[2] &&
      Block[2] == 1) {
    Local[2] = K.Symbols.builtin(SymbolKind::BlockIdx, 2);
    Cut[2] = 1;
  }
}

/// `threadIdx.x`, or a variable that holds it.
static bool isThreadX(const Kernel &K, const Expr *E) {
  E = E->IgnoreParenImpCasts();
  if (auto Builtin = asBuiltinVariable(E))
    return Builtin->Kind == SymbolKind::ThreadIdx && Builtin->Axis == 0;
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  const Polynomial *Form = V && V->getInit() ? K.formOf(V->getInit()) : nullptr;
  return Form && !K.Symbols.findVariable(V) &&
         *Form ==
             Polynomial::symbol(K.Symbols.builtin(SymbolKind::ThreadIdx, 0));
}

/// c in `threadIdx.x / c` or `threadIdx.x % c`, by \p Kind.
static std::optional<int64_t> divisorOf(const Kernel &K, SymbolId Id,
                                        BinaryOperatorKind Kind) {
  const Symbol &S = K.Symbols[Id];
  const auto *Op =
      S.Kind == SymbolKind::Opaque
          ? dyn_cast<BinaryOperator>(S.Origin->IgnoreParenImpCasts())
          : nullptr;
  Expr::EvalResult Value;
  if (!Op || Op->getOpcode() != Kind || !isThreadX(K, Op->getLHS()) ||
      Op->getRHS()->isValueDependent() ||
      !Op->getRHS()->EvaluateAsInt(Value, *K.Context))
    return std::nullopt;
  int64_t Divisor = Value.Val.getInt().getExtValue();
  return Divisor > 0 ? std::optional(Divisor) : std::nullopt;
}

void ThreadNumbers::see(const VarDecl *V, const Polynomial &Form) {
  if (!Block[0] || Block[1] != 1 || Numbered != NumberedAxes::Plane)
    return;
  for (unsigned Axis = 0; Axis < 2; ++Axis) {
    SymbolId BlockId = K.Symbols.builtin(SymbolKind::BlockIdx, Axis);
    std::optional<Polynomial> Step = Form.coefficientOf(BlockId);
    std::optional<int64_t> Extent = Step ? Step->constant() : std::nullopt;
    Polynomial Rest = Form.without(BlockId);
    if (!Extent || *Extent < 1 || Rest.terms().size() != 1 ||
        Rest.terms().begin()->first.size() != 1 ||
        Rest.terms().begin()->second != 1)
      continue;
    SymbolId Id = Rest.terms().begin()->first.front();
    auto Quotient = divisorOf(K, Id, BO_Div),
         Remainder = divisorOf(K, Id, BO_Rem);
    bool IsRow = Quotient && *Block[0] % *Quotient == 0 &&
                 *Block[0] / *Quotient == *Extent;
    bool IsColumn =
        Remainder && *Block[0] % *Remainder == 0 && *Remainder == *Extent;
    if (IsRow || IsColumn) {
      Local[Axis] = Id;
      Cut[Axis] = Extent;
      IsQuotient[Axis] = IsRow;
      if (auto Symbol = K.Symbols.findVariable(V))
        Held.emplace_back(*Symbol, Form);
    }
  }
}

bool ThreadNumbers::areOnePerThread() const {
  if (Numbered != NumberedAxes::Plane || (!Cut[0] && !Cut[1]))
    return true;
  return Cut[0] && Cut[1] && IsQuotient[0] != IsQuotient[1] &&
         *Cut[0] * *Cut[1] == *Block[0];
}

/// With a block for each row: blockIdx.x and threadIdx.x, and no other number.
std::optional<Polynomial> ThreadNumbers::overRows(Polynomial P) const {
  if (!Block[0] || Block[1] != 1)
    return std::nullopt;
  P = P.substitute(K.Symbols.builtin(SymbolKind::BlockDim, 0),
                   Polynomial(*Block[0]));
  for (SymbolId Id : {K.Symbols.builtin(SymbolKind::BlockIdx, 1),
                      K.Symbols.builtin(SymbolKind::ThreadIdx, 1),
                      K.Symbols.builtin(SymbolKind::BlockDim, 1),
                      K.Symbols.builtin(SymbolKind::GridDim, 0),
                      K.Symbols.builtin(SymbolKind::GridDim, 1)})
    if (P.uses(Id))
      return std::nullopt;
  return P;
}

std::optional<Polynomial> ThreadNumbers::over(Polynomial P) const {
  if (Numbered == NumberedAxes::BlockIsRow)
    return overRows(std::move(P));
  bool IsCut = Cut[0] || Cut[1];
  for (const auto &[Symbol, Value] : Held)
    P = P.substitute(Symbol, Value);
  for (unsigned Axis = 0; Axis < axes(); ++Axis) {
    SymbolId BlockId = K.Symbols.builtin(SymbolKind::BlockIdx, Axis);
    if (BlockId == Local[Axis]) {
      // Its number is the block's; nothing else is known along the axis.
      if (P.uses(K.Symbols.builtin(SymbolKind::GridDim, Axis)))
        return std::nullopt;
      P = P.substitute(K.Symbols.builtin(SymbolKind::BlockDim, Axis),
                       Polynomial(1));
      continue;
    }
    SymbolId Extent = K.Symbols.builtin(SymbolKind::BlockDim, Axis);
    Polynomial Threads = Polynomial::symbol(Extent);
    if (std::optional<int64_t> Known = IsCut ? Cut[Axis] : Block[Axis])
      Threads = Polynomial(*Known);
    if (!IsCut && Block[Axis])
      P = P.substitute(Extent, Threads);
    if (IsCut && P.uses(K.Symbols.builtin(SymbolKind::ThreadIdx, Axis)))
      return std::nullopt;
    P = P.substitute(Local[Axis], Polynomial::symbol(Local[Axis]) -
                                      Polynomial::symbol(BlockId) * Threads);
    for (SymbolId Id :
         {BlockId, Extent, K.Symbols.builtin(SymbolKind::GridDim, Axis)})
      if (P.uses(Id))
        return std::nullopt;
  }
  return P;
}

} // namespace cudal1
