//===- HostPointers.cpp - Can two host pointers share a buffer? -----------===//

#include "cudal1/Analysis/HostPointers.h"

#include "HostQuery.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Calls between a launch and an allocation that are followed.
static constexpr unsigned MaxDepth = 8;

static OverlapAnswer disjoint(const llvm::Twine &Why) {
  return {OverlapAnswer::Disjoint, Why.str()};
}
static OverlapAnswer cannotTell(const llvm::Twine &Why) {
  return {OverlapAnswer::Unknown, Why.str()};
}

/// The answer for "either of two cases": the worse one.
static OverlapAnswer worse(OverlapAnswer A, OverlapAnswer B) {
  return B.Answer > A.Answer ? B : A;
}

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
    return compareAtCallers(ParmA, ParmB, In, Depth);
  if (auto Answer = comparePairedWrites(SlotA.Key, SlotB.Key, In, Depth))
    return *Answer;
  // Memory that a function makes differs from all that was passed to it.
  for (auto [Parm, Other] :
       {std::pair(ParmA, SlotB), std::pair(ParmB, SlotA)}) {
    const auto *V = dyn_cast<VarDecl>(Other.Key.getPointer());
    if (!Parm || !V || !V->hasLocalStorage() || isa<ParmVarDecl>(V) ||
        V->getParentFunctionOrMethod() != Parm->getParentFunctionOrMethod() ||
        !owns(Other.Key, false))
      continue;
    bool AllLocal = llvm::all_of(exchangeClass(Other.Key), [&](SlotKey Key) {
      const auto *Member = dyn_cast<VarDecl>(Key.getPointer());
      return Member && Member->hasLocalStorage() &&
             Member->getParentFunctionOrMethod() ==
                 Parm->getParentFunctionOrMethod();
    });
    if (AllLocal)
      return disjoint("`" + V->getNameAsString() + "` is allocated after `" +
                      Parm->getNameAsString() + "` was passed in");
  }
  return compareBuffers(A, B, In);
}

OverlapAnswer HostPointers::Query::compareAtCallers(const ParmVarDecl *A,
                                                    const ParmVarDecl *B,
                                                    const HostContext &In,
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

namespace {

/// Declarations that an expression reads.
class MentionedDecls : public RecursiveASTVisitor<MentionedDecls> {
public:
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Decls.insert(E->getDecl()->getCanonicalDecl());
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    Decls.insert(E->getMemberDecl()->getCanonicalDecl());
    return true;
  }
  llvm::DenseSet<const Decl *> Decls;
};

} // namespace

/// Without calls, and without changing anything in \p Kept.
static bool leavesAlone(const Stmt *S, const llvm::DenseSet<const Decl *> &Kept,
                        const ASTContext &C) {
  auto Changes = [&](const Decl *D) {
    return !D || Kept.contains(D->getCanonicalDecl());
  };
  if (const auto *Declaration = dyn_cast<DeclStmt>(S))
    return llvm::all_of(Declaration->decls(), [&](const Decl *D) {
      const auto *V = dyn_cast<VarDecl>(D);
      return V && !Changes(V) &&
             (!V->getInit() || !V->getInit()->HasSideEffects(C));
    });
  const auto *Assign = dyn_cast<BinaryOperator>(S);
  if (!Assign || Assign->getOpcode() != BO_Assign ||
      Assign->getRHS()->HasSideEffects(C))
    return false;
  const Expr *Left = Assign->getLHS()->IgnoreParens();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(Left))
    return !Changes(Ref->getDecl());
  if (const auto *Member = dyn_cast<MemberExpr>(Left))
    return !Changes(Member->getMemberDecl());
  return false;
}

/// Both values are read at one point of the program, as far as can be told.
bool HostPointers::Query::evaluatedTogether(const SlotWrite &A,
                                            const SlotWrite &B) const {
  if (!A.Scope || A.Scope != B.Scope)
    return false;
  const ASTContext &C = Index.context();
  MentionedDecls Mentioned;
  Mentioned.TraverseStmt(const_cast<Expr *>(A.E));
  Mentioned.TraverseStmt(const_cast<Expr *>(B.E));
  if (const auto *Loop = dyn_cast<ForStmt>(A.Scope))
    return leavesAlone(Loop->getInit(), Mentioned.Decls, C);
  const auto *List = dyn_cast<CompoundStmt>(A.Scope);
  if (!List)
    return false;
  auto [First, Last] = std::minmax(A.Position, B.Position);
  for (unsigned I = First; I <= Last; ++I) {
    const Stmt *S = List->body_begin()[I];
    // The later one of the two only has to be free of side effects.
    llvm::DenseSet<const Decl *> None;
    bool Later = I == Last && First != Last;
    if (!leavesAlone(S, Later ? None : Mentioned.Decls, C))
      return false;
  }
  return true;
}

/// Two local pointers that are only ever set side by side: each such pair of
/// values is compared.
std::optional<OverlapAnswer> HostPointers::Query::comparePairedWrites(
    SlotKey A, SlotKey B, const HostContext &In, unsigned Depth) {
  std::vector<const SlotWrite *> Values[2];
  for (auto [Key, List] :
       {std::pair(A, &Values[0]), std::pair(B, &Values[1])}) {
    const auto *V = dyn_cast<VarDecl>(Key.getPointer());
    if (!V || Key.getInt() || !V->hasLocalStorage() || isa<ParmVarDecl>(V) ||
        V->getType()->isReferenceType() || V->getType()->isArrayType())
      return std::nullopt;
    for (const SlotWrite &W : Index.writesOf(Key)) {
      if (isInert(W) ||
          (W.K == SlotWrite::Value && isNullPointer(W.E, Index.context())))
        continue;
      if (W.K != SlotWrite::Value)
        return std::nullopt;
      List->push_back(&W);
    }
  }
  if (Values[0].empty() || Values[0].size() != Values[1].size())
    return std::nullopt;
  HostContext Here = contextOf(A.getPointer(), In);
  std::optional<OverlapAnswer> Result;
  for (const SlotWrite *One : Values[0]) {
    const SlotWrite *Match = nullptr;
    for (const SlotWrite *Other : Values[1])
      if (evaluatedTogether(*One, *Other)) {
        if (Match)
          return std::nullopt;
        Match = Other;
      }
    if (!Match || One->In != Match->In || One->In != Here.Function)
      return std::nullopt;
    llvm::erase(Values[1], Match);
    OverlapAnswer Answer = compare(One->E, Match->E, Here, Depth + 1);
    Result = Result ? worse(*Result, Answer) : Answer;
  }
  return Result;
}

/// Two elements of one array of pointers.
std::optional<OverlapAnswer>
HostPointers::Query::compareElements(const Slot &A, const Slot &B,
                                     const HostContext &In, unsigned Depth) {
  const ASTContext &C = Index.context();
  const auto *V = dyn_cast<VarDecl>(A.Key.getPointer());
  std::string Name = A.Key.getPointer()->getNameAsString();
  if (!A.Index || !B.Index)
    return std::nullopt;
  if (!differentIndices(A.Index, B.Index)) {
    if (!A.Index->HasSideEffects(C) && sameExpression(A.Index, B.Index, C))
      return OverlapAnswer{OverlapAnswer::Overlap,
                           "one element of `" + Name + "` is passed for both"};
    return cannotTell("two elements of `" + Name + "` may be the same one");
  }
  if (owns(A.Key, A.Base != nullptr))
    return disjoint("different elements of `" + Name +
                    "`, each with a buffer of its own");
  if (!V || exchangeClass(A.Key).size() != 1 || Index.unseenWriters(V))
    return std::nullopt;
  // Set once by an initialiser list, at most exchanged among each other.
  std::vector<const SlotWrite *> Elements;
  for (const SlotWrite &W : Index.writesOf(A.Key)) {
    if (W.K == SlotWrite::Exchange)
      continue;
    if (W.K != SlotWrite::Value || W.Element < 0)
      return std::nullopt;
    Elements.push_back(&W);
  }
  HostContext Here = contextOf(V, In);
  for (size_t I = 0; I < Elements.size(); ++I)
    for (size_t J = I + 1; J < Elements.size(); ++J) {
      OverlapAnswer Answer =
          compare(Elements[I]->E, Elements[J]->E, Here, Depth + 1);
      if (!Answer.disjoint())
        return Answer;
    }
  return disjoint("different elements of `" + Name +
                  "`, which holds different buffers");
}

/// Two first values of variables that exchange them later; null: the value that
/// a parameter came with.
OverlapAnswer HostPointers::Query::compareStarts(SlotKey A, const SlotWrite *WA,
                                                 SlotKey B, const SlotWrite *WB,
                                                 const HostContext &In,
                                                 unsigned Depth) {
  const auto *ParmA =
      WA ? unchangedParameter(WA->E) : cast<ParmVarDecl>(A.getPointer());
  const auto *ParmB =
      WB ? unchangedParameter(WB->E) : cast<ParmVarDecl>(B.getPointer());
  if (ParmA && ParmB)
    return compareAtCallers(ParmA, ParmB, In, Depth);
  if (WA && WB && evaluatedTogether(*WA, *WB))
    return compare(WA->E, WB->E, In, Depth + 1);
  PointsTo FromA = WA ? pointsTo(WA->E, In) : pointsToParameter(ParmA, In);
  PointsTo FromB = WB ? pointsTo(WB->E, In) : pointsToParameter(ParmB, In);
  for (const PointsTo *From : {&FromA, &FromB})
    if (!From->Unknown.empty())
      return cannotTell(From->Unknown);
  for (const HostBuffer &One : FromA.Buffers)
    for (const HostBuffer &Other : FromB.Buffers)
      if (One.mayBe(Other))
        return cannotTell("`" + A.getPointer()->getNameAsString() + "` and `" +
                          B.getPointer()->getNameAsString() +
                          "` may both point into the buffer of " +
                          describe(One));
  return disjoint("they start with different buffers");
}

/// Local variables or parameters that start with different buffers, each set
/// once, and are then only exchanged: at any time they hold different ones.
std::optional<OverlapAnswer>
HostPointers::Query::compareExchanged(SlotKey A, SlotKey B,
                                      const HostContext &In, unsigned Depth) {
  std::vector<SlotKey> Class = exchangeClass(A);
  if (!llvm::is_contained(Class, B))
    return std::nullopt;
  const auto *F = dyn_cast_or_null<FunctionDecl>(
      A.getPointer()->getParentFunctionOrMethod());
  if (!F || Index.hasJumps(F))
    return std::nullopt;
  struct Start {
    SlotKey Key;
    const SlotWrite *W;
    bool Fresh;
  };
  std::vector<Start> Starts;
  const Stmt *Scope = nullptr;
  for (SlotKey Key : Class) {
    const auto *V = dyn_cast<VarDecl>(Key.getPointer());
    if (!V || Key.getInt() || !V->hasLocalStorage() ||
        V->getParentFunctionOrMethod() != F || V->getType()->isArrayType() ||
        V->getType()->isReferenceType())
      return std::nullopt;
    bool Parameter = isa<ParmVarDecl>(V);
    const Stmt *Own = Parameter ? F->getBody() : Index.scopeOf(V);
    if (!Own || (Scope && Scope != Own))
      return std::nullopt;
    Scope = Own;
    unsigned Set = Parameter ? 1 : 0;
    if (Parameter)
      Starts.push_back({Key, nullptr, false});
    for (const SlotWrite &W : Index.writesOf(Key)) {
      if (W.K == SlotWrite::Exchange || isInert(W))
        continue;
      if (isFresh(Key, W)) {
        if (W.K != SlotWrite::Value || !isNullPointer(W.E, Index.context()))
          Starts.push_back({Key, &W, true});
        continue;
      }
      if (W.K != SlotWrite::Value || W.Moved || W.Scope != Own || ++Set > 1)
        return std::nullopt;
      Starts.push_back({Key, &W, false});
    }
  }
  HostContext Here = contextOf(A.getPointer(), In);
  for (size_t I = 0; I < Starts.size(); ++I)
    for (size_t J = I + 1; J < Starts.size(); ++J) {
      const Start &One = Starts[I], &Other = Starts[J];
      if (One.Fresh && Other.Fresh)
        continue;
      // Allocated after the parameter was passed in.
      if ((One.Fresh && !Other.W) || (Other.Fresh && !One.W))
        continue;
      OverlapAnswer Answer;
      if (One.Fresh || Other.Fresh) {
        PointsTo FromOne = pointsToWrite(One.Key, *One.W, Here);
        PointsTo FromOther = pointsToWrite(Other.Key, *Other.W, Here);
        bool Apart = FromOne.Unknown.empty() && FromOther.Unknown.empty();
        for (const HostBuffer &X : FromOne.Buffers)
          for (const HostBuffer &Y : FromOther.Buffers)
            Apart = Apart && !X.mayBe(Y);
        Answer = Apart ? disjoint("")
                       : cannotTell("the buffers that are exchanged at " +
                                    Index.where(Starts[I].W->Loc) +
                                    " may be the same");
      } else {
        Answer = compareStarts(One.Key, One.W, Other.Key, Other.W, Here, Depth);
      }
      if (!Answer.disjoint())
        return Answer;
    }
  return disjoint("`" + A.getPointer()->getNameAsString() + "` and `" +
                  B.getPointer()->getNameAsString() +
                  "` start with different buffers and only exchange them");
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
