//===- StoredProduct.cpp - Values that memory rounds ----------------------===//

#include "StoredProduct.h"
#include "cudal1/Rewrite/StatementTree.h"

using namespace clang;

namespace cudal1 {

bool mayBeProduct(const Expr *E) {
  E = E->IgnoreParens();
  if (const auto *Cast = dyn_cast<CastExpr>(E))
    return Cast->getCastKind() != CK_LValueToRValue &&
                   Cast->getCastKind() != CK_FloatingCast &&
                   Cast->getCastKind() != CK_IntegralToFloating
               ? mayBeProduct(Cast->getSubExpr())
               : isa<DeclRefExpr>(Cast->getSubExpr()->IgnoreParens());
  if (const auto *Op = dyn_cast<BinaryOperator>(E))
    return !Op->isAdditiveOp() && Op->getOpcode() != BO_Div;
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
    return mayBeProduct(Choice->getTrueExpr()) ||
           mayBeProduct(Choice->getFalseExpr());
  return !isa<FloatingLiteral, IntegerLiteral>(E);
}

/// The store that \p Access is may be one of a product.
static bool mayStoreProduct(const Kernel &K, const MemoryAccess &Access) {
  const BinaryOperator *Sets = nullptr;
  findIn(K.Function->getBody(), [&](const Stmt *S) {
    const auto *Op = dyn_cast<BinaryOperator>(S);
    if (Op && Op->isAssignmentOp() &&
        Op->getLHS()->IgnoreParens() == Access.Expression->IgnoreParens())
      Sets = Op;
    return Sets != nullptr;
  });
  if (!Sets)
    return true;
  return Sets->getOpcode() == BO_Assign
             ? mayBeProduct(Sets->getRHS())
             : Sets->getOpcode() != BO_AddAssign &&
                   Sets->getOpcode() != BO_SubAssign &&
                   Sets->getOpcode() != BO_DivAssign;
}

FpClass classOfStores(const Kernel &K, const ValueDecl *Base) {
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.writes() && (!Base || Access.Base == Base) &&
        !Access.ElementType->isIntegralOrEnumerationType() &&
        mayStoreProduct(K, Access))
      return FpClass::Reassociate;
  return FpClass::Exact;
}

} // namespace cudal1
