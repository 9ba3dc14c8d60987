//===- HostExchanged.cpp - Pointers that are set or exchanged together ----===//

#include "HostQuery.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

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
    return compareAtCallers(ParmA, ParmB, Depth);
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

/// How variables that exchange their buffers come by them: null W is what a
/// parameter was passed. Nothing when one of them is set in any other way than
/// once, beside the declarations of all.
std::optional<std::vector<HostPointers::Query::Start>>
HostPointers::Query::startsOf(llvm::ArrayRef<SlotKey> Class,
                              const FunctionDecl *F) {
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
  return Starts;
}

/// Fresh memory and a value of other origin.
OverlapAnswer HostPointers::Query::compareFresh(const Start &A, const Start &B,
                                                const HostContext &In) {
  PointsTo FromA = pointsToWrite(A.Key, *A.W, In);
  PointsTo FromB = pointsToWrite(B.Key, *B.W, In);
  bool Apart = FromA.Unknown.empty() && FromB.Unknown.empty();
  for (const HostBuffer &One : FromA.Buffers)
    for (const HostBuffer &Other : FromB.Buffers)
      Apart = Apart && !One.mayBe(Other);
  if (Apart)
    return disjoint("they start with different buffers");
  return cannotTell("the buffers that are exchanged at " +
                    Index.where(A.W->Loc) + " may be the same");
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
  auto Starts = startsOf(Class, F);
  if (!Starts)
    return std::nullopt;
  HostContext Here = contextOf(A.getPointer(), In);
  for (size_t I = 0; I < Starts->size(); ++I)
    for (size_t J = I + 1; J < Starts->size(); ++J) {
      const Start &One = (*Starts)[I], &Other = (*Starts)[J];
      // Fresh memory differs from all that is live, and so from what a
      // parameter was passed before.
      if ((One.Fresh && (Other.Fresh || !Other.W)) || (Other.Fresh && !One.W))
        continue;
      OverlapAnswer Answer =
          One.Fresh || Other.Fresh
              ? compareFresh(One, Other, Here)
              : compareStarts(One.Key, One.W, Other.Key, Other.W, Here, Depth);
      if (!Answer.disjoint())
        return Answer;
    }
  return disjoint("`" + A.getPointer()->getNameAsString() + "` and `" +
                  B.getPointer()->getNameAsString() +
                  "` start with different buffers and only exchange them");
}

} // namespace cudal1
