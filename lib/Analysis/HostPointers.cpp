//===- HostPointers.cpp - Can two host pointers share a buffer? -----------===//

#include "cudal1/Analysis/HostPointers.h"

#include "HostQuery.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Calls between a launch and an allocation that are followed.
static constexpr unsigned MaxDepth = 8;

std::string HostPointers::Query::describe(const Expr *E) const {
  const SourceManager &SM = Index.context().getSourceManager();
  auto Range = CharSourceRange::getTokenRange(
      SM.getExpansionRange(E->getSourceRange()).getAsRange());
  StringRef Text =
      Lexer::getSourceText(Range, SM, Index.context().getLangOpts());
  constexpr size_t Longest = 48;
  if (Text.contains('\n') || Text.size() > Longest)
    return (Text.split('\n').first.take_front(Longest) + "...").str();
  return Text.str();
}

std::string HostPointers::Query::describe(const HostBuffer &B) const {
  return Index.where(B.Loc);
}

const ParmVarDecl *
HostPointers::Query::unchangedParameter(const Expr *E) const {
  const auto *Ref = dyn_cast<DeclRefExpr>(stripPointer(E));
  const auto *P = Ref ? dyn_cast<ParmVarDecl>(Ref->getDecl()) : nullptr;
  if (!P || !P->getType()->isPointerType())
    return nullptr;
  for (const SlotWrite &W : Index.writesOf(SlotKey(P, false)))
    if (!isInert(W))
      return nullptr;
  return P;
}

/// By where each may come from.
OverlapAnswer HostPointers::Query::compareBuffers(const Expr *A, const Expr *B,
                                                  const HostContext &In) {
  PointsTo FromA = pointsTo(A, In), FromB = pointsTo(B, In);
  for (const PointsTo *From : {&FromA, &FromB})
    if (!From->Unknown.empty())
      return cannotTell(From->Unknown);
  std::string NameA = "`" + describe(A) + "`", NameB = "`" + describe(B) + "`";
  for (const HostBuffer &One : FromA.Buffers)
    for (const HostBuffer &Other : FromB.Buffers)
      if (One.mayBe(Other))
        return cannotTell(NameA + " and " + NameB +
                          " may both point into the buffer of " +
                          describe(One));
  if (FromA.Buffers.empty() || FromB.Buffers.empty())
    return disjoint((FromA.Buffers.empty() ? NameA : NameB) + " is null");
  return disjoint(NameA + " and " + NameB + " are different buffers (" +
                  describe(FromA.Buffers.front()) + ", " +
                  describe(FromB.Buffers.front()) + ")");
}

OverlapAnswer HostPointers::Query::compare(const Expr *A, const Expr *B,
                                           const HostContext &In,
                                           unsigned Depth) {
  if (Depth > MaxDepth)
    return cannotTell("the callers of the launching function go too deep");
  const ASTContext &C = Index.context();
  if (isNullPointer(A, C) || isNullPointer(B, C))
    return disjoint("one of them is null");
  const Expr *FromA = stripPointer(A), *FromB = stripPointer(B);
  const auto *ChoiceA = dyn_cast<ConditionalOperator>(FromA);
  const auto *ChoiceB = dyn_cast<ConditionalOperator>(FromB);
  if (ChoiceA && ChoiceB && !ChoiceA->getCond()->HasSideEffects(C) &&
      sameExpression(ChoiceA->getCond(), ChoiceB->getCond(), C))
    return worse(
        compare(ChoiceA->getTrueExpr(), ChoiceB->getTrueExpr(), In, Depth + 1),
        compare(ChoiceA->getFalseExpr(), ChoiceB->getFalseExpr(), In,
                Depth + 1));
  if (ChoiceA)
    return worse(compare(ChoiceA->getTrueExpr(), B, In, Depth + 1),
                 compare(ChoiceA->getFalseExpr(), B, In, Depth + 1));
  if (ChoiceB)
    return compare(B, A, In, Depth);
  const Expr *HolderA = containerOf(FromA), *HolderB = containerOf(FromB);
  if (HolderA && HolderB) {
    if (differentObjects(HolderA, HolderB, In, 0))
      return disjoint("`" + describe(HolderA) + "` and `" + describe(HolderB) +
                      "` are containers of their own");
    if (sameExpression(HolderA, HolderB, C))
      return {OverlapAnswer::Overlap,
              "both arguments point into `" + describe(HolderA) + "`"};
  }
  std::optional<Slot> SlotA = Index.slotOf(FromA), SlotB = Index.slotOf(FromB);
  if (SlotA && SlotB)
    return compareSlots(A, *SlotA, B, *SlotB, In, Depth);
  return compareBuffers(A, B, In);
}

/// A local pointer to memory that its function makes: it differs from all that
/// was passed to the function.
bool HostPointers::Query::isMadeInside(SlotKey Key, const ParmVarDecl &P) {
  const DeclContext *F = P.getParentFunctionOrMethod();
  auto IsLocal = [&](SlotKey Member) {
    const auto *V = dyn_cast<VarDecl>(Member.getPointer());
    return V && V->hasLocalStorage() && !isa<ParmVarDecl>(V) &&
           V->getParentFunctionOrMethod() == F;
  };
  return llvm::all_of(exchangeClass(Key), IsLocal) && owns(Key, false);
}

OverlapAnswer
HostPointers::Query::compareSlots(const Expr *A, const Slot &SlotA,
                                  const Expr *B, const Slot &SlotB,
                                  const HostContext &In, unsigned Depth) {
  const ASTContext &C = Index.context();
  std::string Names = "`" + describe(stripPointer(A)) + "` and `" +
                      describe(stripPointer(B)) + "`";
  bool SameBase = !SlotA.Base == !SlotB.Base && SlotA.Arrow == SlotB.Arrow &&
                  (!SlotA.Base || (sameExpression(SlotA.Base, SlotB.Base, C) &&
                                   !SlotA.Base->HasSideEffects(C)));
  bool Snapshot = isSnapshot(SlotA, In) || isSnapshot(SlotB, In);
  if (SlotA.Key == SlotB.Key && SameBase && !SlotA.Index && !SlotB.Index)
    return {OverlapAnswer::Overlap, "`" + describe(stripPointer(A)) +
                                        "` is passed for both at " +
                                        Index.where(A->getBeginLoc())};
  if (SlotA.Key == SlotB.Key && (SlotA.Index || SlotB.Index)) {
    if (SameBase && !Snapshot)
      if (auto Answer = compareElements(SlotA, SlotB, In, Depth))
        return *Answer;
    return compareBuffers(A, B, In);
  }
  if (SlotA.Key == SlotB.Key) {
    // One field of two objects.
    if (!SlotA.Arrow && !SlotB.Arrow && SlotA.Base && SlotB.Base &&
        differentObjects(SlotA.Base, SlotB.Base, In, 0) &&
        owns(SlotA.Key, false))
      return disjoint(Names + " own a buffer each");
    return compareBuffers(A, B, In);
  }
  if (Snapshot)
    return compareBuffers(A, B, In);
  const auto *FieldA = dyn_cast<FieldDecl>(SlotA.Key.getPointer());
  const auto *FieldB = dyn_cast<FieldDecl>(SlotB.Key.getPointer());
  bool OneObject = FieldA && FieldB && SameBase &&
                   FieldA->getParent() == FieldB->getParent();
  if ((owns(SlotA.Key, false) && owns(SlotB.Key, false)) ||
      (OneObject && owns(SlotA.Key, true) && owns(SlotB.Key, true))) {
    OverlapAnswer ByCalls = compareBuffers(A, B, In);
    if (ByCalls.disjoint())
      return ByCalls;
    return disjoint(Names + " own a buffer each and only exchange them");
  }
  if (auto Answer = compareExchanged(SlotA.Key, SlotB.Key, In, Depth))
    return *Answer;
  const ParmVarDecl *ParmA = unchangedParameter(A);
  const ParmVarDecl *ParmB = unchangedParameter(B);
  if (ParmA && ParmB)
    return compareAtCallers(ParmA, ParmB, Depth);
  if (auto Answer = comparePairedWrites(SlotA.Key, SlotB.Key, In, Depth))
    return *Answer;
  for (auto [Parm, Other] :
       {std::pair(ParmA, SlotB.Key), std::pair(ParmB, SlotA.Key)})
    if (Parm && isMadeInside(Other, *Parm))
      return disjoint("`" + Other.getPointer()->getNameAsString() +
                      "` is allocated after `" + Parm->getNameAsString() +
                      "` was passed in");
  return compareBuffers(A, B, In);
}

OverlapAnswer HostPointers::Query::compareAtCallers(const ParmVarDecl *A,
                                                    const ParmVarDecl *B,
                                                    unsigned Depth) {
  const auto *F =
      dyn_cast_or_null<FunctionDecl>(A->getParentFunctionOrMethod());
  if (!F || F != B->getParentFunctionOrMethod())
    return cannotTell("`" + A->getNameAsString() + "` and `" +
                      B->getNameAsString() + "` cannot be followed");
  if (A == B)
    return {OverlapAnswer::Overlap,
            "`" + A->getNameAsString() + "` is passed for both"};
  if (auto Obstacle = Index.unseenCallers(F))
    return cannotTell("`" + A->getNameAsString() + "` and `" +
                      B->getNameAsString() +
                      "` cannot be followed: " + Obstacle->Why);
  llvm::ArrayRef<CallSite> Callers = Index.callersOf(F);
  if (Callers.empty())
    return cannotTell("`" + F->getNameAsString() +
                      "` is not called in this unit");
  // A recursive call passes on what holds of the outer one.
  std::pair<const ParmVarDecl *, const ParmVarDecl *> Pair =
      A < B ? std::pair(A, B) : std::pair(B, A);
  if (!AtCallers.insert(Pair).second)
    return disjoint("a recursive call passes the same buffers");
  std::optional<OverlapAnswer> Result;
  for (const CallSite &Site : Callers) {
    const Expr *ArgA = argumentOf(Site.Call, A->getFunctionScopeIndex());
    const Expr *ArgB = argumentOf(Site.Call, B->getFunctionScopeIndex());
    OverlapAnswer Answer =
        ArgA && ArgB
            ? compare(ArgA, ArgB, HostContext{Site.Caller, {}}, Depth + 1)
            : cannotTell("a call of `" + F->getNameAsString() + "` at " +
                         Index.where(Site.Call->getBeginLoc()) +
                         " cannot be followed");
    Result = Result ? worse(*Result, Answer) : Answer;
  }
  AtCallers.erase(Pair);
  return *Result;
}

PointsTo HostPointers::pointsTo(const Expr *E, const HostContext &In) const {
  return Query(Index).pointsTo(E, In);
}

OverlapAnswer HostPointers::mayOverlap(const Expr *A, const Expr *B,
                                       const HostContext &In) const {
  return Query(Index).compare(A, B, In);
}

OverlapAnswer HostPointers::mayPointInto(const Expr *E, const VarDecl *V,
                                         const HostContext &In) const {
  PointsTo From = Query(Index).pointsTo(E, In);
  if (!From.Unknown.empty())
    return cannotTell(From.Unknown);
  for (const HostBuffer &B : From.Buffers)
    if (B.K == HostBuffer::Variable &&
        B.Decl->getQualifiedNameAsString() == V->getQualifiedNameAsString())
      return {OverlapAnswer::Overlap,
              "the argument may point into `" + V->getNameAsString() + "`"};
  return disjoint("no launch passes a pointer into `" + V->getNameAsString() +
                  "`");
}

} // namespace cudal1
