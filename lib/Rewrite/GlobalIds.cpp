//===- GlobalIds.cpp - Kernels that only use global thread numbers --------===//

#include "GlobalIds.h"

#include "ThreadGuards.h"
#include "cudal1/Analysis/Assignments.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Statements inside a statement.
class Contains : public RecursiveASTVisitor<Contains> {
public:
  bool VisitStmt(Stmt *S) {
    All.insert(S);
    return true;
  }
  bool VisitVarDecl(VarDecl *V) {
    Variables.insert(V);
    return true;
  }
  llvm::DenseSet<const Stmt *> All;
  llvm::DenseSet<const VarDecl *> Variables;
};

} // namespace

/// Every mention of \p V lies in one of \p Places.
static bool onlyWithin(const VarDecl *V, const Stmt *Body,
                       const llvm::DenseSet<const Stmt *> &Places) {
  class Finder : public RecursiveASTVisitor<Finder> {
  public:
    Finder(const VarDecl *V, const llvm::DenseSet<const Stmt *> &Places)
        : V(V), Places(Places) {}
    bool VisitDeclRefExpr(DeclRefExpr *E) {
      if (E->getDecl() == V && !Places.contains(E))
        Within = false;
      return true;
    }
    const VarDecl *V;
    const llvm::DenseSet<const Stmt *> &Places;
    bool Within = true;
  } Search(V, Places);
  Search.TraverseStmt(const_cast<Stmt *>(Body));
  return Search.Within;
}

/// \p E stands in \p Places, or only names a variable that is used there alone.
static bool servesOnly(const Expr *E, const Kernel &K,
                       const Assignments &Changes,
                       const llvm::DenseSet<const Stmt *> &Places) {
  if (Places.contains(E))
    return true;
  class Holder : public RecursiveASTVisitor<Holder> {
  public:
    explicit Holder(const Expr *E) : E(E) {}
    bool VisitVarDecl(VarDecl *V) {
      if (V->getInit() && IdFinder::plain(V->getInit()) == IdFinder::plain(E))
        Found = V;
      return true;
    }
    const Expr *E;
    const VarDecl *Found = nullptr;
  } Search(E);
  Search.TraverseStmt(K.Function->getBody());
  return Search.Found && !Changes.isAssigned(Search.Found) &&
         onlyWithin(Search.Found, K.Function->getBody(), Places);
}

/// The elements that two iterations write differ: the index moves with the
/// loop's variable and stays clear of inner loops.
static bool writesApart(const MemoryAccess &Access, const Loop &L,
                        const Kernel &K) {
  if (Access.InCallee || !Access.Base)
    return false;
  std::optional<Polynomial> Step = Access.Index.coefficientOf(L.VariableSymbol);
  if (!Step || Step->isZero())
    return false;
  Polynomial Rest = Access.Index.without(L.VariableSymbol);
  bool Steady = !Rest.usesAny([&](SymbolId Id) {
    SymbolKind Kind = K.Symbols[Id].Kind;
    return Kind != SymbolKind::Parameter && Kind != SymbolKind::Constant;
  });
  if (Steady)
    return Step->constant().has_value() || !Step->usesAny([&](SymbolId Id) {
      return K.Symbols[Id].Kind != SymbolKind::Parameter;
    });
  // `i * n + j` with j from 0 to n.
  for (const Loop *Inner = Access.InLoop; Inner && Inner != &L;
       Inner = Inner->Parent)
    if (Inner->Counted && Inner->Lower == Polynomial(0) &&
        Inner->Upper == *Step &&
        Rest == Polynomial::symbol(Inner->VariableSymbol))
      return true;
  return false;
}

/// A loop from the thread's number in steps of the whole grid, each iteration
/// of which is independent of who runs it.
static bool isIndependentGridStride(const Loop &L, unsigned Axis,
                                    const Kernel &K) {
  const SymbolTable &S = K.Symbols;
  auto Builtin = [&](SymbolKind Kind) {
    return Polynomial::symbol(S.builtin(Kind, Axis));
  };
  if (!L.Counted || !isa<ForStmt>(L.Statement) || L.HasEarlyExit ||
      !(L.StepForm ==
        Builtin(SymbolKind::BlockDim) * Builtin(SymbolKind::GridDim)) ||
      !(L.Lower ==
        Builtin(SymbolKind::BlockIdx) * Builtin(SymbolKind::BlockDim) +
            Builtin(SymbolKind::ThreadIdx)))
    return false;
  if (L.Upper.usesAny(
          [&](SymbolId Id) { return S[Id].Kind != SymbolKind::Parameter; }))
    return false;
  Contains Inside;
  Inside.TraverseStmt(const_cast<Stmt *>(L.Statement));
  for (const VarDecl *V : L.Assigned)
    if (!Inside.Variables.contains(V))
      return false;
  for (const MemoryAccess &Access : K.Accesses) {
    if (!Access.writes() || Access.Kind == AccessKind::Atomic ||
        !Access.InLoop || !Access.InLoop->isInside(&L))
      continue;
    const auto *Local = Access.Space == MemorySpace::Local
                            ? dyn_cast_or_null<VarDecl>(Access.Base)
                            : nullptr;
    if (Local ? !Inside.Variables.contains(Local) : !writesApart(Access, L, K))
      return false;
  }
  return true;
}

std::optional<std::array<GlobalIdAxis, 3>> globalIds(const Kernel &K,
                                                     const EditBuilder &Texts,
                                                     std::string &Obstacle,
                                                     bool TakeConstants) {
  auto Uses = builtinUses(K, Texts, Obstacle);
  if (!Uses)
    return std::nullopt;
  auto No = [&](const char *Why) {
    Obstacle = Why;
    return std::nullopt;
  };
  const Stmt *Body = K.Function->getBody();
  Assignments Changes = Assignments::of(Body);
  IdFinder Ids(K, Changes, TakeConstants);
  Ids.TraverseStmt(const_cast<Stmt *>(Body));
  for (const BuiltinUse &Use : *Uses)
    if (!Ids.Used.count(Use.Member))
      return No("thread or block indices are used by themselves");
  for (const DeclRefExpr *Mention : Ids.AliasMentions)
    if (!Ids.UsedAliases.contains(Mention))
      return No("thread or block indices are used by themselves");

  std::array<GlobalIdAxis, 3> Axes;
  for (const IdFinder::Number &N : Ids.Numbers)
    Axes[N.Axis].Extra = ExtraThreads::Unguarded;
  for (const auto &[Extent, Axis] : Ids.Extents)
    Axes[Axis].Extents.push_back(Extent);
  GuardAnalysis Guard(K, Ids, Changes);
  // Grid-stride loops: number and step serve nothing else.
  for (const auto &[Total, Axis] : Ids.Totals) {
    llvm::DenseSet<const Stmt *> Starts, Steps;
    for (const auto &L : K.Loops)
      if (isIndependentGridStride(*L, Axis, K)) {
        const auto *For = cast<ForStmt>(L->Statement);
        Guard.GridStrides[For] = Axis;
        Contains Start, Step;
        Start.TraverseStmt(const_cast<Stmt *>(For->getInit()));
        Step.TraverseStmt(const_cast<Expr *>(For->getInc()));
        Starts.insert(Start.All.begin(), Start.All.end());
        Steps.insert(Step.All.begin(), Step.All.end());
      }
    if (!servesOnly(Total, K, Changes, Steps))
      return No("the number of threads of the grid is used by itself");
    for (const IdFinder::Number &N : Ids.Numbers)
      if (N.Axis == Axis && (!N.Alone || !servesOnly(N.E, K, Changes, Starts)))
        return No("the number of a thread is used beside a grid-stride loop");
    Axes[Axis].Extra = ExtraThreads::GridStride;
  }
  GuardAnalysis::Bounds None;
  Guard.walk(Body, None);
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    if (Axes[Axis].Extra == ExtraThreads::GridStride && !Guard.Always[Axis])
      return No("threads do more than their share of a grid-stride loop");
    if (Axes[Axis].Extra == ExtraThreads::Unguarded && Guard.Always[Axis]) {
      Axes[Axis].Extra = ExtraThreads::Guarded;
      Axes[Axis].Bound = Guard.HasBound[Axis] ? Guard.Bound[Axis] : nullptr;
    }
  }
  return Axes;
}

} // namespace cudal1
