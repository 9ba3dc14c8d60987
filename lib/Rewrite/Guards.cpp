//===- Guards.cpp - What the conditions around a statement prove ----------===//

#include "cudal1/Rewrite/Guards.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// A statement after which the next one in the block is not reached.
static bool alwaysLeaves(const Stmt *S) {
  if (const auto *Block = dyn_cast_or_null<CompoundStmt>(S))
    return !Block->body_empty() && alwaysLeaves(Block->body_back());
  return isa_and_nonnull<ReturnStmt, BreakStmt, ContinueStmt>(S);
}

Guards::Guards(const Kernel &K, const StatementTree &Tree, const Stmt *At)
    : K(K) {
  for (const Stmt *Child = At; const Stmt *Parent = Tree.parent(Child);
       Child = Parent) {
    if (const auto *If = dyn_cast<IfStmt>(Parent)) {
      if (Child == If->getThen())
        addCondition(If->getCond(), true);
      else if (Child == If->getElse())
        addCondition(If->getCond(), false);
    } else if (const auto *Choice = dyn_cast<ConditionalOperator>(Parent)) {
      if (Child != Choice->getCond())
        addCondition(Choice->getCond(), Child == Choice->getTrueExpr());
    } else if (const auto *For = dyn_cast<ForStmt>(Parent)) {
      if (Child == For->getBody())
        addLoopBounds(For);
    } else if (const auto *Block = dyn_cast<CompoundStmt>(Parent);
               Block && !isa_and_nonnull<SwitchStmt>(Tree.parent(Block))) {
      for (const Stmt *Sibling : Block->body()) {
        if (Sibling == Child)
          break;
        const auto *If = dyn_cast<IfStmt>(Sibling);
        if (If && !If->getElse() && alwaysLeaves(If->getThen()))
          addCondition(If->getCond(), false);
      }
    } else if (isa<LambdaExpr>(Parent)) {
      break;
    }
  }
}

void Guards::addFact(const Polynomial &P) {
  if (K.isStable(P) && !llvm::is_contained(Facts, P))
    Facts.push_back(P);
}

void Guards::addCondition(const Expr *Condition, bool Holds) {
  if (!Condition) // if consteval
    return;
  const Expr *E = Condition->IgnoreParenImpCasts();
  if (const auto *Full = dyn_cast<FullExpr>(E))
    return addCondition(Full->getSubExpr(), Holds);
  if (const auto *Not = dyn_cast<UnaryOperator>(E);
      Not && Not->getOpcode() == UO_LNot)
    return addCondition(Not->getSubExpr(), !Holds);
  const auto *Binary = dyn_cast<BinaryOperator>(E);
  if (!Binary)
    return;
  if (Binary->getOpcode() == (Holds ? BO_LAnd : BO_LOr)) {
    addCondition(Binary->getLHS(), Holds);
    addCondition(Binary->getRHS(), Holds);
  } else if (Binary->isComparisonOp()) {
    addComparison(Binary, Holds);
  }
}

/// A comparison of unsigned values is one of numbers only when neither side can
/// wrap below zero.
bool Guards::hasExactValue(const Expr *E, const Polynomial &Form,
                           bool UnsignedComparison) const {
  if (!UnsignedComparison)
    return true;
  for (const auto &[Monomial, Coefficient] : Form.terms())
    if (Coefficient < 0)
      return false;
  return E->IgnoreParenImpCasts()
             ->getType()
             ->isUnsignedIntegerOrEnumerationType() ||
         isNonNegative(Form);
}

void Guards::addComparison(const BinaryOperator *Comparison, bool Holds) {
  QualType Type = Comparison->getLHS()->getType();
  if (!Type->isIntegerType())
    return;
  const Polynomial *Left = K.formOf(Comparison->getLHS());
  const Polynomial *Right = K.formOf(Comparison->getRHS());
  if (!Left || !Right)
    return;
  bool Unsigned = Type->isUnsignedIntegerOrEnumerationType();
  if (!hasExactValue(Comparison->getLHS(), *Left, Unsigned) ||
      !hasExactValue(Comparison->getRHS(), *Right, Unsigned))
    return;
  BinaryOperatorKind Kind = Comparison->getOpcode();
  if (!Holds)
    Kind = BinaryOperator::negateComparisonOp(Kind);
  Polynomial Difference = *Right - *Left;
  switch (Kind) {
  case BO_LT:
    return addFact(Difference - 1);
  case BO_LE:
    return addFact(Difference);
  case BO_GT:
    return addFact(-Difference - 1);
  case BO_GE:
    return addFact(-Difference);
  case BO_EQ:
    addFact(Difference);
    return addFact(-Difference);
  case BO_NE:
    if (isNonNegative(Difference))
      addFact(Difference - 1);
    else if (isNonNegative(-Difference))
      addFact(-Difference - 1);
    return;
  default:
    return;
  }
}

const Loop *loopOf(const Kernel &K, const Stmt *S) {
  for (const auto &L : K.Loops)
    if (L->Statement == S)
      return L.get();
  return nullptr;
}

void Guards::addLoopBounds(const Stmt *LoopStatement) {
  const Loop *L = loopOf(K, LoopStatement);
  if (!L || !L->Counted)
    return;
  if (!L->Step) // A grid-stride loop: its condition as it stands.
    return addCondition(cast<ForStmt>(LoopStatement)->getCond(), true);
  Polynomial Variable = Polynomial::symbol(L->VariableSymbol);
  if (*L->Step > 0) {
    addFact(Variable - L->Lower);
    if (L->Variable->getType()->isSignedIntegerType())
      addFact(L->Upper - Variable - 1);
  } else if (L->Variable->getType()->isSignedIntegerType()) {
    addFact(L->Lower - Variable);
    addFact(Variable - L->Upper - 1);
  }
}

bool Guards::isNonNegative(SymbolId Id) const {
  const Symbol &S = K.Symbols[Id];
  switch (S.Kind) {
  case SymbolKind::ThreadIdx:
  case SymbolKind::BlockIdx:
  case SymbolKind::BlockDim:
  case SymbolKind::GridDim:
    return true;
  case SymbolKind::LoopVariable:
    for (const auto &L : K.Loops)
      if (L->Counted && L->VariableSymbol == Id && L->Variable == S.Decl &&
          !((L->Step ? *L->Step > 0 : isNonNegative(L->StepForm)) &&
            isNonNegative(L->Lower)))
        return false;
    return true;
  case SymbolKind::Parameter:
  case SymbolKind::Constant:
  case SymbolKind::Variable:
    return S.Decl && S.Decl->getType()->isUnsignedIntegerType();
  case SymbolKind::Load:
  case SymbolKind::Opaque:
    return S.Origin && S.Origin->getType()->isUnsignedIntegerType();
  }
  return false;
}

bool Guards::isNonNegative(const Polynomial &P) const {
  return llvm::all_of(P.terms(), [&](const auto &Term) {
    return Term.second >= 0 && llvm::all_of(Term.first, [&](SymbolId Id) {
             return isNonNegative(Id);
           });
  });
}

bool Guards::provesNonNegative(const Polynomial &P) const {
  if (isNonNegative(P))
    return true;
  for (const Polynomial &First : Facts) {
    Polynomial Rest = P - First;
    if (isNonNegative(Rest))
      return true;
    for (const Polynomial &Second : Facts)
      if (isNonNegative(Rest - Second))
        return true;
  }
  return false;
}

/// The type in which the loop compares its variable with its bound.
static bool comparesUnsigned(const Loop &L) {
  const auto *For = dyn_cast<ForStmt>(L.Statement);
  const auto *Comparison =
      For && For->getCond()
          ? dyn_cast<BinaryOperator>(For->getCond()->IgnoreParenImpCasts())
          : nullptr;
  return !Comparison || !Comparison->getLHS()->getType()->isSignedIntegerType();
}

bool runsAtLeastOnce(const Kernel &K, const StatementTree &Tree,
                     const Loop &L) {
  if (isa<DoStmt>(L.Statement))
    return true;
  if (!L.Counted || !L.Step)
    return false;
  // A first value below zero would compare as a large one.
  Guards Known(K, Tree, L.Statement);
  if (comparesUnsigned(L) && !Known.provesNonNegative(L.Lower))
    return false;
  if (L.TripCount)
    return *L.TripCount > 0;
  return *L.Step > 0 ? Known.provesNonNegative(L.Upper - L.Lower - 1)
                     : !comparesUnsigned(L) &&
                           Known.provesNonNegative(L.Lower - L.Upper - 1);
}

} // namespace cudal1
