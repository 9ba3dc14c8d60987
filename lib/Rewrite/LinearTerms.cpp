//===- LinearTerms.cpp - Sums of scaled values ----------------------------===//

#include "LinearTerms.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

std::optional<llvm::APFloat> LinearTerms::constant(const Expr *E) const {
  const llvm::fltSemantics &Semantics = K.Context->getFloatTypeSemantics(Type);
  if (E->isValueDependent() || E->HasSideEffects(*K.Context))
    return std::nullopt;
  bool Loses = false;
  llvm::APFloat Value(Semantics);
  if (E->getType()->isIntegerType()) {
    Expr::EvalResult Result;
    if (!E->EvaluateAsInt(Result, *K.Context))
      return std::nullopt;
    const llvm::APSInt &Number = Result.Val.getInt();
    Loses = Value.convertFromAPInt(Number, Number.isSigned(),
                                   llvm::APFloat::rmNearestTiesToEven) !=
            llvm::APFloat::opOK;
  } else if (E->getType()->isRealFloatingType()) {
    if (!E->EvaluateAsFloat(Value, *K.Context))
      return std::nullopt;
    Value.convert(Semantics, llvm::APFloat::rmNearestTiesToEven, &Loses);
  } else {
    return std::nullopt;
  }
  return Loses || !Value.isFinite() ? std::nullopt : std::optional(Value);
}

/// Parentheses and what only reads a value or keeps its type.
static const Expr *strip(const Expr *E) {
  while (true) {
    E = E->IgnoreParens();
    if (const auto *Full = dyn_cast<FullExpr>(E)) {
      E = Full->getSubExpr();
      continue;
    }
    const auto *Cast = dyn_cast<CastExpr>(E);
    if (!Cast || (Cast->getCastKind() != CK_LValueToRValue &&
                  Cast->getCastKind() != CK_NoOp))
      return E;
    E = Cast->getSubExpr();
  }
}

LinearTerms::Terms LinearTerms::product(const Expr *A, const Expr *B) const {
  Terms Left = of(A), Right = of(B);
  // A zero that is multiplied is none where the other side is no number.
  if (!Left || !Right || Left->empty() || Right->empty() ||
      (Left->size() > 1 && Right->size() > 1))
    return std::nullopt;
  std::vector<LinearTerm> Result;
  for (const LinearTerm &L : *Left)
    for (const LinearTerm &R : *Right) {
      if (L.Values & R.Values)
        return std::nullopt;
      LinearTerm T;
      T.Values = L.Values | R.Values;
      T.Negative = L.Negative != R.Negative;
      T.Factors = L.Factors;
      llvm::append_range(T.Factors, R.Factors);
      Result.push_back(std::move(T));
    }
  return Result;
}

LinearTerms::Terms LinearTerms::sum(const Expr *A, const Expr *B,
                                    bool Subtracts) const {
  Terms Left = of(A), Right = of(B);
  if (!Left || !Right)
    return std::nullopt;
  for (LinearTerm &T : *Right) {
    T.Negative ^= Subtracts;
    Left->push_back(std::move(T));
  }
  return Left;
}

LinearTerms::Terms LinearTerms::variable(const DeclRefExpr *Ref) const {
  const auto *V = dyn_cast<VarDecl>(Ref->getDecl());
  if (!V || V->getType().isVolatileQualified() ||
      !K.Context->hasSameUnqualifiedType(V->getType(), Type))
    return std::nullopt;
  if (const KernelParameter *P = K.parameter(V))
    return P->Reassigned ? std::nullopt : Terms({LinearTerm{0, false, {Ref}}});
  // The caller has seen that nothing changes it.
  if (!V->isLocalVarDecl() || !V->hasLocalStorage() || !V->getInit())
    return std::nullopt;
  return of(V->getInit());
}

LinearTerms::Terms LinearTerms::of(const Expr *E) const {
  if (unsigned Value = Values(strip(E)))
    return Terms({LinearTerm{Value, false, {}}});
  if (std::optional<llvm::APFloat> Value = constant(E)) {
    if (Value->isZero())
      return std::vector<LinearTerm>();
    if (Value->isExactlyValue(1.0))
      return Terms({LinearTerm{0, false, {}}});
    return Terms({LinearTerm{0, false, {E}}});
  }
  if (!K.Context->hasSameUnqualifiedType(E->getType(), Type))
    return std::nullopt;
  E = strip(E);
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
    return variable(Ref);
  if (const auto *Op = dyn_cast<UnaryOperator>(E);
      Op && Op->getOpcode() == UO_Minus) {
    Terms Result = of(Op->getSubExpr());
    if (Result)
      for (LinearTerm &T : *Result)
        T.Negative = !T.Negative;
    return Result;
  }
  if (const auto *Op = dyn_cast<BinaryOperator>(E)) {
    if (Op->getOpcode() == BO_Mul)
      return product(Op->getLHS(), Op->getRHS());
    if (Op->getOpcode() == BO_Add || Op->getOpcode() == BO_Sub)
      return sum(Op->getLHS(), Op->getRHS(), Op->getOpcode() == BO_Sub);
    return std::nullopt;
  }
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  if (!Callee || !Callee->getIdentifier() || Call->getNumArgs() != 3 ||
      !llvm::is_contained({"fma", "fmaf", "__fmaf_rn", "__fma_rn"},
                          Callee->getName()))
    return std::nullopt;
  Terms Product = product(Call->getArg(0), Call->getArg(1)),
        Rest = of(Call->getArg(2));
  if (!Product || !Rest)
    return std::nullopt;
  llvm::append_range(*Product, *Rest);
  return Product;
}

} // namespace cudal1
