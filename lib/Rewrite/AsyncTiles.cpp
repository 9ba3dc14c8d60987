//===- AsyncTiles.cpp - What may be copied ahead --------------------------===//

#include "AsyncTiles.h"

#include "cudal1/Analysis/DeviceFunctions.h"
#include "cudal1/Rewrite/ElementInLoop.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// `for (int t = 0; t < bound; t += step)`, not in another loop: the copies of
/// its first turns would meet the last turns of the time before.
bool AsyncTiles::findLoop() {
  For = dyn_cast<ForStmt>(L->Statement);
  if (!For || L->Parent || !L->Counted || !L->Step || *L->Step < 1 ||
      L->HasEarlyExit || L->HasContinue || !For->getCond() || !For->getInit())
    return no("the loop does not count up to a bound, or stands in a loop");
  const auto *Cond = dyn_cast<BinaryOperator>(For->getCond()->IgnoreParens());
  const auto *Ref =
      Cond ? dyn_cast<DeclRefExpr>(Cond->getLHS()->IgnoreParenImpCasts())
           : nullptr;
  if (!Ref || Ref->getDecl() != L->Variable ||
      (Cond->getOpcode() != BO_LT && Cond->getOpcode() != BO_LE))
    return no("the loop does not run while its variable is below a bound");
  Bound = Cond->getRHS();
  if (const auto *Init = dyn_cast<DeclStmt>(For->getInit())) {
    if (!Init->isSingleDecl() || Init->getSingleDecl() != L->Variable)
      return no("the loop declares more than its variable");
    First = L->Variable->getInit();
  } else if (const auto *Assign = dyn_cast<BinaryOperator>(For->getInit())) {
    First = Assign->getOpcode() == BO_Assign ? Assign->getRHS() : nullptr;
  }
  if (!First || !L->Variable->getType()->isIntegerType() ||
      K->Context->getTypeSize(L->Variable->getType()) <
          K->Context->getTypeSize(K->Context->IntTy))
    return no("where the loop begins is not seen");
  for (const Expr *E : {First, Bound})
    if (!accessesIn(*K, *Tree, E).empty() || !callsLeaveMemoryAlone(*K, E) ||
        E->HasSideEffects(*K->Context, /*IncludePossibleEffects=*/false))
      return no("the loop's range is more than arithmetic");
  Changing.insert(L->Variable);
  return true;
}

/// A statement that is `__syncthreads();`.
static bool isBlockBarrier(const Kernel &K, const Stmt *S) {
  const auto *E = dyn_cast<Expr>(S);
  const auto *Call = E ? dyn_cast<CallExpr>(E->IgnoreParens()) : nullptr;
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->getIdentifier() &&
         Callee->getName() == "__syncthreads" &&
         llvm::any_of(K.Barriers, [&](const Barrier &B) {
           return B.Call == Call && B.Kind == BarrierKind::Block;
         });
}

/// Copies, a barrier, uses, a barrier, and nothing behind it.
bool AsyncTiles::findParts() {
  const auto *Body = dyn_cast_or_null<CompoundStmt>(L->body());
  if (!Body)
    return no("the loop has no body in braces");
  unsigned Inside = llvm::count_if(K->Barriers, [&](const Barrier &B) {
    return B.InLoop && B.InLoop->isInside(L);
  });
  for (const Stmt *S : Body->body()) {
    if (isa<NullStmt>(S))
      continue;
    if (Done)
      return no("something follows the loop's second barrier");
    if (isBlockBarrier(*K, S))
      (Ready ? Done : Ready) = S;
    else
      (Ready ? Uses : Copies).push_back(S);
  }
  if (!Done || Inside != 2 || Copies.empty() || Uses.empty())
    return no("the loop is not of the form copies, barrier, uses, barrier");
  return llvm::all_of(Copies, [&](const Stmt *S) { return copyStatement(S); });
}

/// Something in \p S is another value in another turn of the loop.
bool AsyncTiles::changesWithTurns(const Stmt *S) const {
  return S && llvm::any_of(variablesReadIn(S), [&](const VarDecl *V) {
           return Changing.contains(V);
         });
}

bool AsyncTiles::declaration(const DeclStmt *S) {
  for (const Decl *D : S->decls()) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V || !V->hasLocalStorage() || !V->getInit() ||
        !V->getType()->isArithmeticType() || V->getType().isVolatileQualified())
      return no("a declaration among the copies is of no plain value");
    Temporaries.insert(V);
    if (changesWithTurns(V->getInit()))
      Changing.insert(V);
  }
  return true;
}

/// `for (int i = threadIdx.y; i < 32; i += 8)`: the same in each turn.
bool AsyncTiles::copyLoop(const ForStmt *S) {
  const auto *Init = dyn_cast_or_null<DeclStmt>(S->getInit());
  if (!Init || !S->getCond() || !S->getInc() || !declaration(Init))
    return no("a loop among the copies declares no variable");
  if (changesWithTurns(Init) || changesWithTurns(S->getCond()) ||
      changesWithTurns(S->getInc()))
    return no("not every turn writes the same elements");
  return copyStatement(S->getBody());
}

bool AsyncTiles::copyBranches(const IfStmt *S) {
  if (S->getInit() || S->getConditionVariable() || S->isConstexpr())
    return no("an `if` among the copies declares something");
  size_t Before = Writes.size();
  if (!copyStatement(S->getThen()))
    return false;
  size_t Between = Writes.size();
  if (S->getElse() && !copyStatement(S->getElse()))
    return false;
  if (!changesWithTurns(S->getCond()))
    return true;
  // Both branches write the same element, or else some turn leaves it as an
  // earlier one did.
  auto Element = [&](size_t I) -> const MemoryAccess * {
    const Expr *Target = Writes[I].Assignment->getLHS()->IgnoreParens();
    for (const MemoryAccess &Access : K->Accesses)
      if (Access.Expression->IgnoreParens() == Target)
        return &Access;
    return nullptr;
  };
  if (Between != Before + 1 || Writes.size() != Between + 1)
    return no("not every turn writes the same elements");
  const MemoryAccess *Then = Element(Before), *Else = Element(Between);
  if (!Then || !Else || Then->Base != Else->Base ||
      !(Then->Index == Else->Index) || !K->isStable(Then->Index))
    return no("not every turn writes the same elements");
  return true;
}

/// An element of global memory of the very type that is written.
bool AsyncTiles::isSource(const Expr *E, TileWrite &Into) const {
  const Expr *Plain = E->IgnoreParens();
  const Expr *Element = nullptr;
  if (const auto *Load = dyn_cast<ImplicitCastExpr>(Plain);
      Load && Load->getCastKind() == CK_LValueToRValue)
    Element = Load->getSubExpr()->IgnoreParens();
  if (const auto *Call = dyn_cast<CallExpr>(Plain)) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    if (Callee && Callee->getIdentifier() && Callee->getName() == "__ldg" &&
        classify(*Callee) == DeviceFunction::Load && Call->getNumArgs() == 1)
      Element = Call->getArg(0)->IgnoreParens();
  }
  if (!Element || !K->Context->hasSameUnqualifiedType(
                      Plain->getType(), Into.Assignment->getLHS()->getType()))
    return false;
  for (const MemoryAccess &Access : K->Accesses)
    if (Access.Expression->IgnoreParens() == Element) {
      if (Access.InCallee || Access.Space != MemorySpace::Global ||
          Access.Kind != AccessKind::Read || !Access.Base ||
          !K->parameter(Access.Base) ||
          Access.Expression->getType().isVolatileQualified())
        return false;
      Into.Source = Plain;
      return true;
    }
  return false;
}

bool AsyncTiles::assignment(const BinaryOperator *S) {
  TileWrite W;
  W.Assignment = S;
  const Expr *Value = S->getRHS()->IgnoreParens();
  const auto *Choice = dyn_cast<ConditionalOperator>(Value);
  if (Choice && (isSource(Choice->getTrueExpr(), W) ||
                 isSource(Choice->getFalseExpr(), W)))
    W.Choice = Choice;
  else if (!isSource(Value, W) && !accessesIn(*K, *Tree, Value).empty())
    return no("what is copied is changed on its way, or is no element of "
              "global memory");
  if (W.Choice) {
    bool First = W.Source == Choice->getTrueExpr()->IgnoreParens();
    const Expr *Other = First ? Choice->getFalseExpr() : Choice->getTrueExpr();
    if (!accessesIn(*K, *Tree, Other).empty() ||
        !accessesIn(*K, *Tree, Choice->getCond()).empty())
      return no("a copy depends on more than one element");
  }
  if (changesWithTurns(S->getLHS()))
    return no("not every turn writes the same elements");
  Writes.push_back(W);
  return true;
}

bool AsyncTiles::copyStatement(const Stmt *S) {
  if (isa<NullStmt>(S))
    return true;
  if (const auto *Block = dyn_cast<CompoundStmt>(S))
    return llvm::all_of(Block->body(),
                        [&](const Stmt *Part) { return copyStatement(Part); });
  if (const auto *Decls = dyn_cast<DeclStmt>(S))
    return declaration(Decls);
  if (const auto *If = dyn_cast<IfStmt>(S))
    return copyBranches(If);
  if (const auto *Inner = dyn_cast<ForStmt>(S))
    return copyLoop(Inner);
  const auto *Op = dyn_cast<BinaryOperator>(S);
  if (Op && Op->getOpcode() == BO_Assign)
    return assignment(Op);
  return no("something else than copies stands before the first barrier");
}

/// No thread writes behind the access's base while the kernel runs.
bool AsyncTiles::isReadOnly(const MemoryAccess &Access) const {
  return llvm::none_of(K->Accesses, [&](const MemoryAccess &Other) {
    return Other.writes() && Other.Space != MemorySpace::Local &&
           !A->basesMayOverlap(*K, Access, Other).disjoint();
  });
}

/// The arrays that the copies write: elements of 4 or 8 bytes, as aligned as
/// that, used nowhere but in the loop.
bool AsyncTiles::findArrays() {
  for (const TileWrite &W : Writes) {
    const Expr *Target = W.Assignment->getLHS()->IgnoreParens();
    auto At = llvm::find_if(K->Accesses, [&](const MemoryAccess &Access) {
      return Access.Expression->IgnoreParens() == Target;
    });
    if (At == K->Accesses.end() || At->Space != MemorySpace::Shared)
      return no("something else than a shared array is written before the "
                "first barrier");
    auto Array = llvm::find_if(K->SharedArrays, [&](const ArrayVariable &V) {
      return V.Decl == At->Base;
    });
    if (Array == K->SharedArrays.end() || Array->Dynamic ||
        Array->Extents.empty() || !Array->Decl->isStaticLocal() ||
        Array->Decl->getType().isVolatileQualified())
      return no("a shared array is sized at the launch, or stands elsewhere");
    QualType Type = Array->ElementType;
    int64_t Bytes = K->Context->getTypeSizeInChars(Type).getQuantity();
    if (!Type->isArithmeticType() || (Bytes != 4 && Bytes != 8) ||
        K->Context->getTypeAlignInChars(Type).getQuantity() != Bytes)
      return no("an element has other than 4 or 8 bytes");
    if (!llvm::is_contained(Arrays, &*Array))
      Arrays.push_back(&*Array);
  }
  if (llvm::none_of(Writes, [](const TileWrite &W) { return W.Source; }))
    return no("nothing is copied");
  return true;
}

/// Every mention of an array writes among the copies or reads among the uses.
bool AsyncTiles::findUses() {
  auto In = [&](llvm::ArrayRef<const Stmt *> Where, const Stmt *S) {
    return llvm::any_of(
        Where, [&](const Stmt *Outer) { return Tree->contains(Outer, S); });
  };
  for (const ArrayVariable *Array : Arrays) {
    auto Mentions = elementUsesOf(*Tree, *Array);
    if (!Mentions)
      return no("a shared array is used as a whole");
    for (const ArrayUse &Use : *Mentions) {
      ValueUse How = valueUse(*Tree, Use.Element);
      if (How == ValueUse::Write && In(Copies, Use.Element))
        Copied.push_back(Use.Mention);
      else if (How == ValueUse::Read && In(Uses, Use.Element))
        Used.push_back(Use.Mention);
      else
        return no("a shared array is used elsewhere than between the loop's "
                  "barriers");
    }
  }
  // What else the uses touch may need the second barrier.
  for (const Stmt *S : Uses)
    for (const MemoryAccess *Access : accessesIn(*K, *Tree, S)) {
      if (!isTile(Access->Base) && Access->Space != MemorySpace::Local &&
          (Access->writes() || !isReadOnly(*Access)))
        KeepsLastBarrier = true;
    }
  return true;
}

bool AsyncTiles::isTile(const ValueDecl *V) const {
  return llvm::any_of(
      Arrays, [&](const ArrayVariable *Array) { return Array->Decl == V; });
}

/// The copies of a later turn read now what they would read then.
bool AsyncTiles::copiesAheadAreTheSame() {
  for (const Stmt *S : Copies) {
    if (!callsLeaveMemoryAlone(*K, S))
      return no("a call among the copies does more than to compute");
    for (const VarDecl *V : variablesReadIn(S))
      if (V != L->Variable && !Temporaries.contains(V) && !isTile(V) &&
          L->assigns(V))
        return no("the copies depend on what the loop computes");
    for (const VarDecl *V : variablesChangedIn(S))
      if (!Temporaries.contains(V) && !isTile(V))
        return no("the copies change a variable");
    for (const MemoryAccess *Access : accessesIn(*K, *Tree, S)) {
      if (isTile(Access->Base) && Access->Kind == AccessKind::Write &&
          !Access->InCallee)
        continue;
      if (Access->Space != MemorySpace::Global || Access->writes() ||
          Access->InCallee || !isReadOnly(*Access))
        return no("what is copied may be written while the kernel runs");
    }
  }
  for (const Stmt *S : Uses)
    for (const VarDecl *V : variablesReadIn(S))
      if (Temporaries.contains(V))
        return no("a value from among the copies is used behind the barrier");
  return true;
}

std::optional<AsyncTiles> AsyncTiles::of(const Kernel &K,
                                         const ProgramAnalysis &A,
                                         const StatementTree &Tree,
                                         const Loop &L, std::string &Obstacle) {
  AsyncTiles Result(K, A, Tree, L, Obstacle);
  if (K.HasAsm || !K.UnknownCalls.empty()) {
    Obstacle = "the kernel does what is not known";
    return std::nullopt;
  }
  if (!Result.findLoop() || !Result.findParts() || !Result.findArrays() ||
      !Result.findUses() || !Result.copiesAheadAreTheSame())
    return std::nullopt;
  return Result;
}

int64_t AsyncTiles::sharedBytes(int64_t Stages) const {
  int64_t Sum = staticSharedBytes(*K).value_or(MostStaticShared + 1);
  for (const ArrayVariable *Array : Arrays)
    Sum += (Stages - 1) * bytesOf(*K, *Array);
  return Sum;
}

} // namespace cudal1
