//===- GridCoordinates.cpp - Rows and columns and their guards ------------===//

#include "GridCoordinates.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

bool GridCoordinates::no(const char *Why) {
  if (Obstacle.empty())
    Obstacle = Why;
  return false;
}

std::optional<Polynomial> GridCoordinates::over(const Expr *E) const {
  const Polynomial *Form = E ? K.formOf(E) : nullptr;
  return Form ? Numbers.over(*Form) : std::nullopt;
}

void GridCoordinates::see(const VarDecl *V) {
  if (!V->getType()->isIntegerType() || Changes.isAssigned(V))
    return;
  if (const Polynomial *Form = V->getInit() ? K.formOf(V->getInit()) : nullptr)
    Numbers.see(V, *Form);
  for (unsigned Axis = 0; Axis < Numbers.axes(); ++Axis)
    if (over(V->getInit()) == Polynomial::symbol(Numbers.symbol(Axis)))
      Along[Axis].Variables.push_back(V);
}

bool GridCoordinates::comparison(const BinaryOperator *Op, bool Holds) {
  BinaryOperatorKind Kind = Op->getOpcode();
  const Expr *Left = Op->getLHS(), *Right = Op->getRHS();
  if (!Holds)
    Kind = BinaryOperator::negateComparisonOp(Kind);
  if (Kind == BO_GT || Kind == BO_GE) {
    Kind = BinaryOperator::reverseComparisonOp(Kind);
    std::swap(Left, Right);
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(Left->IgnoreParenImpCasts());
  auto Bound = over(Right);
  if ((Kind != BO_LT && Kind != BO_LE) || !Ref || !Bound ||
      !isUniform(K, *Bound))
    return no("a condition is no bound of a row or column");
  for (ContractionCoordinate &C : Along)
    if (llvm::is_contained(C.Variables, Ref->getDecl())) {
      C.Guards.push_back(
          {Kind, cast<VarDecl>(Ref->getDecl()), Right, *Bound, ""});
      return true;
    }
  return no("a condition is no bound of a row or column");
}

/// Both sides of `&&` hold, or neither of `||`.
bool GridCoordinates::condition(const Expr *E, bool Holds) {
  E = E->IgnoreParenImpCasts();
  if (const auto *Not = dyn_cast<UnaryOperator>(E);
      Not && Not->getOpcode() == UO_LNot)
    return condition(Not->getSubExpr(), !Holds);
  const auto *Op = dyn_cast<BinaryOperator>(E);
  if (Op && Op->getOpcode() == (Holds ? BO_LAnd : BO_LOr))
    return condition(Op->getLHS(), Holds) && condition(Op->getRHS(), Holds);
  if (Op && Op->isRelationalOp())
    return comparison(Op, Holds);
  return no("a condition is no bound of a row or column");
}

bool GridCoordinates::tryCondition(const Expr *E, bool Holds) {
  std::string Before = Obstacle;
  std::array<ContractionCoordinate, 3> Known = Along;
  if (condition(E, Holds))
    return true;
  Obstacle = Before;
  Along = Known;
  return false;
}

ContractionCoordinate GridCoordinates::along(unsigned Axis) const {
  ContractionCoordinate C = Along[Axis];
  C.Axis = Axis;
  C.Threads = Numbers.cutExtent(Axis);
  return C;
}

bool returnsOnly(const Stmt *S) {
  if (const auto *Compound = dyn_cast<CompoundStmt>(S))
    return Compound->size() == 1 && returnsOnly(Compound->body_front());
  return isa<ReturnStmt>(S);
}

} // namespace cudal1
