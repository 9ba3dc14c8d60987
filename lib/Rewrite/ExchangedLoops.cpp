//===- ExchangedLoops.cpp - Two loops that may change places --------------===//

#include "ExchangedLoops.h"

#include "cudal1/Analysis/Dependence.h"
#include "cudal1/Analysis/Reduction.h"
#include "cudal1/Rewrite/Guards.h"
#include "cudal1/Rewrite/LoopMemory.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Bytes of one sector of memory: a walk in steps of that much or more brings
/// a new one each time.
static constexpr double SectorBytes = 32;

ExchangedLoops::ExchangedLoops(const Kernel &K, const ProgramAnalysis &A,
                               const StatementTree &Tree,
                               const Assignments &Changes, const Loop &Outer)
    : K(K), A(A), Tree(Tree), Changes(Changes), Outer(Outer) {
  EditBuilder Texts(A.program(), Side::Device);
  if (findNest(Texts) && isRectangle() && isPlain() && changesOwnVariables())
    keepsOrder();
}

/// Counts upwards by a constant with a variable of its own, which is too wide
/// to wrap.
static std::optional<CountedFor> plainHead(const Loop &L) {
  auto Head = partsOf(L);
  const auto *Init =
      Head ? dyn_cast_or_null<DeclStmt>(Head->For->getInit()) : nullptr;
  if (!Init || !Init->isSingleDecl() || Init->getSingleDecl() != L.Variable ||
      !L.Step || Head->For->getConditionVariable() ||
      !L.Variable->getType()->isIntegerType() ||
      L.Variable->getASTContext().getTypeSize(L.Variable->getType()) < 32 ||
      L.Variable->getType().isVolatileQualified())
    return std::nullopt;
  return Head;
}

/// From behind the opening parenthesis of \p For up to the closing one.
static SourceRange headOf(const ForStmt &For) {
  return SourceRange(For.getInit()->getBeginLoc(), For.getInc()->getEndLoc());
}

bool ExchangedLoops::findNest(const EditBuilder &Texts) {
  const Stmt *Body = Outer.body();
  if (const auto *Block = dyn_cast_or_null<CompoundStmt>(Body))
    Body = Block->size() == 1 ? Block->body_front() : nullptr;
  Inner = isa_and_nonnull<ForStmt>(Body) ? loopOf(K, Body) : nullptr;
  if (!Inner)
    return no("the loop holds something else than one counted loop");
  for (unsigned I : {0, 1}) {
    auto Head = plainHead(I == 0 ? Outer : *Inner);
    if (!Head)
      return no("a loop does not count upwards with a variable of its own");
    Heads[I] = *Head;
    if (Texts.hasLoopPragma(Head->For))
      return no("a loop has a pragma of the author's");
    if (!Texts.canEdit(headOf(*Head->For)))
      return no("the head of a loop is made by a macro");
  }
  return spansDirective(*K.Context, Outer.Statement->getSourceRange())
             ? no("a directive stands in the loops")
             : true;
}

/// Names the variable \p V, or another one by the same name.
static bool mentionsName(const Stmt *S, const VarDecl *V) {
  return findIn(S, [&](const Stmt *Child) {
    const auto *Ref = dyn_cast<DeclRefExpr>(Child);
    return Ref && Ref->getDecl()->getDeclName() == V->getDeclName();
  });
}

/// Each loop has the same iterations in all of the other, and finding out how
/// many does nothing else.
bool ExchangedLoops::isRectangle() {
  if (!K.isInvariantIn(Inner->Lower, Outer) ||
      !K.isInvariantIn(Inner->Upper, Outer) ||
      !K.isInvariantIn(Outer.Lower, Outer) ||
      !K.isInvariantIn(Outer.Upper, Outer))
    return no("the bounds of a loop change in the other");
  for (unsigned I : {0, 1}) {
    const CountedFor &Head = Heads[I];
    const VarDecl *Other = I == 0 ? Inner->Variable : Outer.Variable;
    for (const Stmt *Part : {static_cast<const Stmt *>(Head.For->getInit()),
                             static_cast<const Stmt *>(Head.For->getCond()),
                             static_cast<const Stmt *>(Head.For->getInc())}) {
      if (mentionsName(Part, Other))
        return no("the head of a loop names the variable of the other");
      for (const MemoryAccess &Access : K.Accesses)
        if (Tree.contains(Part, Access.Expression))
          return no("the bound of a loop is read from memory");
    }
    for (const Expr *Part : {Head.Start, Head.Bound})
      if (!Assignments::of(Part).changed().empty())
        return no("the bound of a loop has side effects");
  }
  return true;
}

/// Only computes, and accesses memory.
bool ExchangedLoops::isPlain() {
  const Stmt *S = Outer.Statement;
  bool TiesThreads =
      llvm::any_of(K.WarpOperations, [&](const WarpOperation &W) {
        return Tree.contains(S, W.Call);
      });
  if (hasJump(S) || TiesThreads || Outer.HasBarrier || K.HasAsm ||
      !callsLeaveMemoryAlone(K, S))
    return no("a loop is left, or ties threads together");
  bool Odd = findIn(S, [](const Stmt *Child) {
    const auto *E = dyn_cast<Expr>(Child);
    return isa<LambdaExpr, StmtExpr, AttributedStmt>(Child) ||
           (E && E->getType().isVolatileQualified());
  });
  return !Odd || no("the loops hold volatile values or unusual statements");
}

/// Declared in the body, so that each iteration has its own.
bool ExchangedLoops::isOwn(const VarDecl *V) const {
  return findIn(Inner->body(), [&](const Stmt *S) {
    const auto *D = dyn_cast<DeclStmt>(S);
    return D && llvm::is_contained(D->decls(), V);
  });
}

/// What an iteration leaves to another is a sum or its like.
bool ExchangedLoops::changesOwnVariables() {
  bool Declares = !findIn(Inner->body(), [&](const Stmt *S) {
    const auto *D = dyn_cast<DeclStmt>(S);
    return D && llvm::any_of(D->decls(), [&](const Decl *Declared) {
             const auto *V = dyn_cast<VarDecl>(Declared);
             return !V || !V->hasLocalStorage() ||
                    V->getType()->isReferenceType() ||
                    llvm::any_of(Changes.changesOf(V),
                                 [](const auto &C) { return C.Escapes; });
           });
  });
  if (!Declares)
    return no("the loops declare something else than their own variables");
  for (const VarDecl *V : variablesChangedIn(Outer.body())) {
    // Elements of arrays are accesses to memory.
    if (V == Inner->Variable || isOwn(V) || V->getType()->isArrayType())
      continue;
    std::string Why;
    auto Sum = findReduction(K, Outer, V, Why);
    if (!Sum)
      return no("an iteration uses what another assigns");
    if (!Sum->isExact())
      Class = FpClass::Reassociate;
    Evidence.push_back("all that the loops do with " + V->getNameAsString() +
                       " is to combine it with other values");
  }
  return true;
}

/// \p Earlier in one iteration and \p Later in one that follows it in the
/// present order still come in this order when the loops have changed places,
/// or need not.
bool ExchangedLoops::mayExchange(const MemoryAccess &Earlier,
                                 const MemoryAccess &Later) {
  if (!Earlier.writes() && !Later.writes())
    return true;
  if (!Earlier.Base || !Later.Base || Earlier.InCallee || Later.InCallee)
    return false;
  if (Earlier.Base != Later.Base) {
    OverlapAnswer Answer = A.basesMayOverlap(K, Earlier, Later);
    if (Answer.disjoint() && Earlier.Space != MemorySpace::Local &&
        Later.Space != MemorySpace::Local &&
        !llvm::is_contained(Evidence, Answer.Reason))
      Evidence.push_back(Answer.Reason);
    return Answer.disjoint();
  }
  if (!Earlier.Member.empty() || !Later.Member.empty())
    return false;
  Guards Known(K, Tree, Outer.Statement);
  auto IsPositive = [&](const Polynomial &Value) {
    return Known.provesNonNegative(Value - Polynomial(1));
  };
  auto Meets = findDependence(K, Earlier, Later, {&Outer, Inner}, IsPositive);
  if (!Meets)
    return true;
  // A later outer iteration with an earlier inner one would come first.
  return (Meets->Distances[0] && *Meets->Distances[0] <= 0) ||
         (Meets->Distances[1] && *Meets->Distances[1] >= 0);
}

bool ExchangedLoops::keepsOrder() {
  std::vector<const MemoryAccess *> Accesses;
  for (const MemoryAccess *Access : accessesIn(K, Tree, Outer.Statement)) {
    const auto *V = dyn_cast_or_null<VarDecl>(Access->Base);
    if (Access->Kind == AccessKind::Atomic)
      return no("there are atomic operations");
    if (!V || V->getType()->isPointerType() || !isOwn(V))
      Accesses.push_back(Access);
  }
  for (const MemoryAccess *Earlier : Accesses)
    for (const MemoryAccess *Later : Accesses)
      if (!mayExchange(*Earlier, *Later))
        return no("an iteration may need what another one stores");
  Evidence.push_back("no iteration needs what one stores that the other order "
                     "puts behind it");
  return true;
}

/// Sectors that an access brings for each iteration of a loop that moves it by
/// \p Stride elements. The L1 cache hands on each store by itself; what does
/// not move stays in a register.
static double sectorsFor(const Polynomial &Stride, const MemoryAccess &Access) {
  if (Stride.isZero())
    return 0;
  double Read = 0, Written = Access.writes() ? 1 : 0;
  if (Access.reads()) {
    auto Elements = Stride.constant();
    double Bytes = Elements ? std::abs(double(*Elements)) : SectorBytes;
    Read = std::min(1.0, Bytes * double(Access.ElementSize) / SectorBytes);
  }
  return Read + Written;
}

double ExchangedLoops::gain() const {
  double Gain = 0;
  std::vector<const MemoryAccess *> Seen;
  for (const MemoryAccess *Access : accessesIn(K, Tree, Inner->body())) {
    if (Access->Space == MemorySpace::Local || Access->InCallee ||
        llvm::any_of(Seen, [&](const MemoryAccess *Other) {
          return Other->Base == Access->Base && Other->Index == Access->Index &&
                 (Other->writes() || !Access->writes());
        }))
      continue;
    Seen.push_back(Access);
    auto Along = [&](const Loop &L) -> std::optional<double> {
      auto Stride = Access->Index.coefficientOf(L.VariableSymbol);
      bool Within = Access->Index.usesAny([&](SymbolId Id) {
        return Id != L.VariableSymbol &&
               K.Symbols.dependsOn(Id, L.VariableSymbol);
      });
      if (!Stride || Within)
        return std::nullopt;
      return sectorsFor(*Stride * Polynomial(*L.Step), *Access);
    };
    auto Now = Along(*Inner), Then = Along(Outer);
    if (Now && Then)
      Gain += *Now - *Then;
  }
  return Gain;
}

void ExchangedLoops::write(EditBuilder &Builder) const {
  SourceRange First = headOf(*Heads[0].For), Second = headOf(*Heads[1].For);
  std::string Outermost = Builder.text(First).str();
  std::string Innermost = Builder.text(Second).str();
  if (Outermost.empty() || Innermost.empty())
    return Builder.fail("the head of a loop is made by a macro");
  Builder.replace(First, Innermost);
  Builder.replace(Second, Outermost);
}

} // namespace cudal1
