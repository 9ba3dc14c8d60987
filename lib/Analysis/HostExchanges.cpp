//===- HostExchanges.cpp - Fills a HostIndex: swaps and rotations ---------===//

#include "HostIndexVisitor.h"

using namespace clang;

namespace cudal1 {

/// Notes that the values of \p Sides are permuted among them.
void HostIndexVisitor::exchange(llvm::ArrayRef<Slot> Sides,
                                SourceLocation Loc) {
  bool SameObject = true;
  for (const Slot &S : Sides) {
    const Slot &First = Sides.front();
    if (!S.Base != !First.Base || S.Arrow != First.Arrow ||
        (S.Base && !sameExpression(S.Base, First.Base, Index.Context)))
      SameObject = false;
  }
  for (const Slot &S : Sides) {
    SlotWrite W;
    W.K = SlotWrite::Exchange;
    W.Loc = Loc;
    W.SameObject = SameObject;
    for (const Slot &Other : Sides)
      W.Partners.push_back(Other.Key);
    write(S.Key, std::move(W));
  }
}

/// A temporary that takes the value of a slot: `T *t = a;` or `t = a;`.
static const Expr *savedIn(const Stmt *S, const VarDecl *&Temporary) {
  if (const auto *Declaration = dyn_cast<DeclStmt>(S)) {
    if (!Declaration->isSingleDecl())
      return nullptr;
    Temporary = dyn_cast<VarDecl>(Declaration->getSingleDecl());
    if (!Temporary || Temporary->getType()->isReferenceType())
      return nullptr;
    return Temporary->getInit();
  }
  const auto *Assign = dyn_cast<BinaryOperator>(S);
  if (!Assign || Assign->getOpcode() != BO_Assign)
    return nullptr;
  const auto *Ref = dyn_cast<DeclRefExpr>(Assign->getLHS()->IgnoreParens());
  Temporary = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return Temporary ? Assign->getRHS() : nullptr;
}

/// An expression that only loads a slot, casts allowed, offsets not.
static const Expr *loadedSlot(const Expr *E) {
  E = E->IgnoreParens();
  while (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() != CK_LValueToRValue &&
        Cast->getCastKind() != CK_NoOp && Cast->getCastKind() != CK_BitCast)
      return nullptr;
    E = Cast->getSubExpr()->IgnoreParens();
  }
  return E;
}

/// `t = a; a = b; b = t;` and longer rotations, from statement \p First on.
/// Returns the number of statements, 0 when it is none.
size_t HostIndexVisitor::rotation(const CompoundStmt &List, size_t First) {
  const VarDecl *Temporary = nullptr;
  const Stmt *const *Body = List.body_begin();
  const Expr *Saved = savedIn(Body[First], Temporary);
  if (!Saved || Temporary->getType()->isReferenceType())
    return 0;
  Saved = loadedSlot(Saved);
  if (!Saved)
    return 0;
  std::optional<Slot> Start = Index.slotOf(Saved);
  if (!Start || Saved->HasSideEffects(Index.Context))
    return 0;
  llvm::SmallVector<Slot, 4> Sides{*Start};
  llvm::SmallVector<const Expr *, 4> Lvalues{Saved};
  llvm::SmallVector<const Stmt *, 4> Parts;
  for (size_t I = First + 1; I < List.size(); ++I) {
    const auto *Assign = dyn_cast<BinaryOperator>(Body[I]);
    if (!Assign || Assign->getOpcode() != BO_Assign ||
        !sameExpression(Assign->getLHS(), Lvalues.back(), Index.Context))
      return 0;
    const Expr *From = loadedSlot(Assign->getRHS());
    Parts.push_back(Assign);
    const auto *Ref = dyn_cast_or_null<DeclRefExpr>(From);
    if (Ref && Ref->getDecl() == Temporary) {
      if (Sides.size() < 2)
        return 0;
      exchange(Sides, Body[First]->getBeginLoc());
      PartOfExchange.insert(Parts.begin(), Parts.end());
      return I - First + 1;
    }
    std::optional<Slot> Side = From ? Index.slotOf(From) : std::nullopt;
    if (!Side || From->HasSideEffects(Index.Context))
      return 0;
    for (const Expr *Before : Lvalues)
      if (sameExpression(Before, From, Index.Context))
        return 0;
    Sides.push_back(*Side);
    Lvalues.push_back(From);
  }
  return 0;
}

bool HostIndexVisitor::VisitCompoundStmt(CompoundStmt *S) {
  for (size_t I = 0; I + 2 < S->size();) {
    size_t Length = rotation(*S, I);
    I += Length ? Length : 1;
  }
  return true;
}

/// The body of a swap function of the author's: exactly a rotation of what its
/// two parameters refer to.
static bool isSwapBody(const FunctionDecl &F) {
  const FunctionDecl *Definition = nullptr;
  if (F.getNumParams() != 2 || !F.hasBody(Definition))
    return false;
  const auto *Body = dyn_cast_or_null<CompoundStmt>(Definition->getBody());
  if (!Body || Body->size() != 3)
    return false;
  auto RefersTo = [](const Expr *E) -> const ParmVarDecl * {
    E = E ? loadedSlot(E) : nullptr;
    if (!E)
      return nullptr;
    bool Deref = false;
    if (const auto *Op = dyn_cast<UnaryOperator>(E)) {
      if (Op->getOpcode() != UO_Deref)
        return nullptr;
      Deref = true;
      E = Op->getSubExpr()->IgnoreParenImpCasts();
    }
    const auto *Ref = dyn_cast<DeclRefExpr>(E);
    const auto *P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
    return P && P->getType()->isReferenceType() != Deref ? P : nullptr;
  };
  const VarDecl *Temporary = nullptr;
  const ParmVarDecl *A = RefersTo(savedIn(Body->body_begin()[0], Temporary));
  const auto *Second = dyn_cast<BinaryOperator>(Body->body_begin()[1]);
  const auto *Third = dyn_cast<BinaryOperator>(Body->body_begin()[2]);
  if (!A || !Second || !Third || Second->getOpcode() != BO_Assign ||
      Third->getOpcode() != BO_Assign || !Temporary->hasLocalStorage())
    return false;
  const ParmVarDecl *B = RefersTo(Third->getLHS());
  const Expr *Last = loadedSlot(Third->getRHS());
  const auto *Ref = dyn_cast_or_null<DeclRefExpr>(Last);
  return B && B != A && RefersTo(Second->getLHS()) == A &&
         RefersTo(Second->getRHS()) == B && Ref && Ref->getDecl() == Temporary;
}

/// The lvalue that a swap's argument refers to: `a`, or `a` in `&a`.
static const Expr *swappedLvalue(const Expr *Argument) {
  Argument = Argument->IgnoreParenCasts();
  if (const auto *Op = dyn_cast<UnaryOperator>(Argument))
    if (Op->getOpcode() == UO_AddrOf)
      return Op->getSubExpr()->IgnoreParens();
  return Argument->isGLValue() ? Argument : nullptr;
}

bool HostIndexVisitor::swapCall(const CallExpr *C) {
  const FunctionDecl *Callee = calleeOf(C);
  if (!Callee || Callee->getNumParams() != 2 || isa<CXXMethodDecl>(Callee))
    return false;
  bool Library = isLibrary(Callee) && Callee->isInStdNamespace() &&
                 Callee->getIdentifier() && Callee->getName() == "swap";
  if (!Library && (isLibrary(Callee) || !isSwapBody(*Callee)))
    return false;
  llvm::SmallVector<Slot, 2> Sides;
  for (unsigned I = 0; I < 2; ++I) {
    const Expr *Lvalue = swappedLvalue(C->getArg(I));
    std::optional<Slot> S = Lvalue ? Index.slotOf(Lvalue) : std::nullopt;
    if (!S)
      return false;
    Sides.push_back(*S);
  }
  exchange(Sides, C->getBeginLoc());
  PartOfExchange.insert(C);
  return true;
}

} // namespace cudal1
