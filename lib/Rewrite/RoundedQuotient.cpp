//===- RoundedQuotient.cpp - Functions that divide and round up -----------===//

#include "RoundedQuotient.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace cudal1 {

namespace {

/// How often each parameter is added, and what is added besides.
struct Sum {
  int64_t First = 0, Second = 0, Constant = 0;
};

} // namespace

/// An integer that holds every int.
static bool isWide(QualType Type, const ASTContext &C) {
  Type = Type.getNonReferenceType();
  return Type->isIntegerType() && !Type.isVolatileQualified() &&
         C.getTypeSize(Type) >= C.getTypeSize(C.IntTy);
}

static const ParmVarDecl *parameterIn(const Expr *E) {
  const auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
}

/// Adds \p E, \p Sign times, to \p Out; false where it is no such sum.
static bool addTo(Sum &Out, const Expr *E, int64_t Sign, const FunctionDecl &F,
                  const ASTContext &C) {
  E = E->IgnoreParenImpCasts();
  if (!isWide(E->getType(), C))
    return false;
  if (const ParmVarDecl *P = parameterIn(E)) {
    if (P != F.getParamDecl(0) && P != F.getParamDecl(1))
      return false;
    (P == F.getParamDecl(0) ? Out.First : Out.Second) += Sign;
    return true;
  }
  if (const auto *Literal = dyn_cast<IntegerLiteral>(E)) {
    constexpr unsigned SmallBits = 31;
    if (!Literal->getValue().isIntN(SmallBits))
      return false;
    Out.Constant += Sign * int64_t(Literal->getValue().getZExtValue());
    return true;
  }
  const auto *Op = dyn_cast<BinaryOperator>(E);
  return Op && (Op->getOpcode() == BO_Add || Op->getOpcode() == BO_Sub) &&
         addTo(Out, Op->getLHS(), Sign, F, C) &&
         addTo(Out, Op->getRHS(), Op->getOpcode() == BO_Add ? Sign : -Sign, F,
               C);
}

/// A call cuts nothing off what it passes for \p P.
static bool holds(const ParmVarDecl &P, const Expr *Argument,
                  const ASTContext &C) {
  QualType From = Argument->IgnoreParenImpCasts()->getType();
  return isWide(P.getType(), C) && isWide(From, C) &&
         C.getTypeSize(P.getType().getNonReferenceType()) >=
             C.getTypeSize(From);
}

/// What \p F returns, when that is all it does.
static const Expr *onlyResult(const FunctionDecl &F) {
  const auto *Body = dyn_cast_or_null<CompoundStmt>(F.getBody());
  const auto *Return = Body && Body->size() == 1
                           ? dyn_cast<ReturnStmt>(Body->body_front())
                           : nullptr;
  return Return ? Return->getRetValue() : nullptr;
}

std::optional<RoundedQuotient> roundedQuotient(const Expr *E,
                                               const ASTContext &C) {
  const auto *Call = dyn_cast<CallExpr>(E->IgnoreParenImpCasts());
  const FunctionDecl *F = Call ? Call->getDirectCallee() : nullptr;
  const FunctionDecl *Definition = nullptr;
  if (!F || isa<CXXOperatorCallExpr, CXXMemberCallExpr>(Call) ||
      Call->getNumArgs() != 2 || F->getNumParams() != 2 ||
      !F->hasBody(Definition) || Definition->isWeak() ||
      !isWide(Definition->getReturnType(), C) ||
      !holds(*Definition->getParamDecl(0), Call->getArg(0), C) ||
      !isWide(Definition->getParamDecl(1)->getType(), C))
    return std::nullopt;
  const Expr *Result = onlyResult(*Definition);
  const auto *Division =
      Result ? dyn_cast<BinaryOperator>(Result->IgnoreParenImpCasts())
             : nullptr;
  if (!Division || Division->getOpcode() != BO_Div ||
      parameterIn(Division->getRHS()) != Definition->getParamDecl(1))
    return std::nullopt;
  Sum S;
  if (!addTo(S, Division->getLHS(), 1, *Definition, C) || S.First != 1 ||
      S.Second != 1 || S.Constant != -1)
    return std::nullopt;
  return RoundedQuotient{Call->getArg(0), Call->getArg(1)};
}

} // namespace cudal1
