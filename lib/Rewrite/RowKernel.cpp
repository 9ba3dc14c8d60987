//===- RowKernel.cpp - Kernels in which a thread walks a row --------------===//

#include "RowFinder.h"

#include "GlobalIds.h"
#include "LaunchEdits.h"
#include "cudal1/Rewrite/LoopMemory.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace clang;

namespace cudal1 {

/// Narrower variables would wrap when they are stepped by a whole block.
static constexpr unsigned LeastBitsOfIndex = 32;

bool RowKernel::isExact() const {
  return llvm::all_of(Loops, [](const RowLoop &L) {
    return llvm::all_of(L.Reductions,
                        [](const Reduction &R) { return R.isExact(); });
  });
}

namespace {

/// Variables declared inside a statement.
class Declared : public RecursiveASTVisitor<Declared> {
public:
  explicit Declared(const Stmt *S) { TraverseStmt(const_cast<Stmt *>(S)); }
  bool VisitVarDecl(VarDecl *V) {
    Variables.insert(V);
    return true;
  }
  llvm::SmallPtrSet<const ValueDecl *, 8> Variables;
};

} // namespace

/// Nothing happens in the kernel but arithmetic and plain accesses, and what
/// is executed depends on conditions alone.
bool RowFinder::isPlainKernel() {
  if (!K.Barriers.empty() || !K.SharedArrays.empty() ||
      !K.WarpOperations.empty() || !K.UnknownCalls.empty() || K.HasAsm ||
      showsOrder(K) ||
      !callsLeaveMemoryAlone(K, Tree.body(), /*AtomicsAside=*/true))
    return no("the kernel does more than arithmetic on memory");
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.InCallee || !Access.Base ||
        Access.Expression->getType().isVolatileQualified() ||
        (Access.Space != MemorySpace::Global &&
         Access.Space != MemorySpace::Constant &&
         Access.Space != MemorySpace::Local))
      return no("an access cannot be followed");
  for (const AtomicOperation &Atomic : K.Atomics)
    if (llvm::none_of(K.Accesses, [&](const MemoryAccess &Access) {
          return Access.Kind == AccessKind::Atomic &&
                 Tree.contains(Atomic.Call, Access.Expression);
        }))
      return no("an atomic operation cannot be followed");
  for (const KernelParameter &P : K.Parameters)
    if (P.Reassigned || P.Use.Escapes)
      return no("a parameter is changed or handed on");
  for (const ValueDecl *V : Changes.changed()) {
    const auto *Variable = dyn_cast<VarDecl>(V);
    if (!Variable || !Variable->hasLocalStorage())
      return no("a variable of the whole program is changed");
  }
  if (findIn(Tree.body(), [](const Stmt *S) {
        if (const auto *Decls = dyn_cast<DeclStmt>(S))
          return llvm::any_of(Decls->decls(), [](const Decl *D) {
            const auto *V = dyn_cast<VarDecl>(D);
            return V &&
                   (V->getType()->isReferenceType() ||
                    V->getType().isVolatileQualified() || V->isStaticLocal());
          });
        return isa<GotoStmt, IndirectGotoStmt, LabelStmt, SwitchStmt,
                   LambdaExpr>(S);
      }))
    return no("jumps or references cannot be followed");
  return true;
}

/// Every launch is of one thread, and the kernel does not ask which it is.
static bool isOfOneThread(const Kernel &K) {
  auto None = [](llvm::ArrayRef<bool> Uses) {
    return llvm::none_of(Uses, [](bool Use) { return Use; });
  };
  return None(K.UsesThreadIdx) && None(K.UsesBlockIdx) &&
         None(K.UsesBlockDim) && None(K.UsesGridDim) && !K.Launches.empty() &&
         llvm::all_of(K.Launches, [](const Launch *L) {
           return llvm::all_of(llvm::seq(0u, 3u), [&](unsigned Axis) {
             return L->GridExtent[Axis].Value == 1 &&
                    L->BlockExtent[Axis].Value == 1;
           });
         });
}

/// One variable holds the number of the thread, everything is under a guard,
/// and no other use is made of thread and block indices.
bool RowFinder::row() {
  if (isOfOneThread(K))
    return true;
  EditBuilder Texts(A.program(), Side::Device);
  auto Axes = globalIds(K, Texts, Obstacle);
  if (!Axes)
    return false;
  if ((*Axes)[0].Extra != ExtraThreads::Guarded || !(*Axes)[0].Bound ||
      (*Axes)[1].Extra != ExtraThreads::Unused ||
      (*Axes)[2].Extra != ExtraThreads::Unused)
    return no("not everything is under `row < rows`");
  R.Bound = (*Axes)[0].Bound;
  auto Uses = builtinUses(K, Texts, Obstacle);
  if (!Uses || Uses->empty())
    return false;
  const auto *Found = findIn(Tree.body(), [&](const Stmt *S) {
    const auto *Decls = dyn_cast<DeclStmt>(S);
    return Decls && Tree.contains(Decls, Uses->front().Expression);
  });
  R.Declaration = dyn_cast_or_null<DeclStmt>(Found);
  if (!R.Declaration || !isa_and_nonnull<CompoundStmt>(Tree.parent(Found)))
    return no("the row's number is not kept in a variable");
  for (const Decl *D : R.Declaration->decls())
    if (const auto *V = dyn_cast<VarDecl>(D);
        V && V->getInit() &&
        Tree.contains(V->getInit(), Uses->front().Expression))
      R.Row = V;
  if (!R.Row || Changes.isAssigned(R.Row))
    return no("the row's number is not kept in a variable");
  for (const BuiltinUse &Use : *Uses)
    if (!Tree.contains(R.Row->getInit(), Use.Expression))
      return no("thread or block indices are used elsewhere than for the row");
  const SymbolTable &S = K.Symbols;
  Polynomial Number =
      Polynomial::symbol(S.builtin(SymbolKind::BlockIdx, 0)) *
          Polynomial::symbol(S.builtin(SymbolKind::BlockDim, 0)) +
      Polynomial::symbol(S.builtin(SymbolKind::ThreadIdx, 0));
  const Polynomial *Form = K.formOf(R.Row->getInit());
  if (!Form || !(*Form == Number) ||
      R.Row->getType()->getContainedDeducedType())
    return no("the row is not the number of the thread");
  return true;
}

/// Two evaluations of \p E by the threads of one row agree, wherever they are
/// made: what it names is not changed in \p Where, and what it reads is not
/// written. (That no other name leads there is proved for all that is written.)
bool RowFinder::isSteady(const Expr *E, const Assignments &Where) const {
  if (E->HasSideEffects(*K.Context))
    return false;
  return !findIn(E, [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    if (Ref && Where.isAssigned(Ref->getDecl()))
      return true;
    return llvm::any_of(K.Accesses, [&](const MemoryAccess &Access) {
      if (Access.Expression != S)
        return false;
      const KernelParameter *P = K.parameter(Access.Base);
      return Access.Space == MemorySpace::Local || (P && P->Use.Written);
    });
  });
}

/// `for (int k = first; k < end; ++k)`, of a variable that nothing else uses.
bool RowFinder::head(RowLoop &Row) {
  const Loop &L = *Row.L;
  const auto *For = dyn_cast<ForStmt>(L.Statement);
  if (!For || !L.Variable || L.Step != 1 || L.HasEarlyExit || L.HasBarrier ||
      For->getConditionVariable())
    return no("a loop does not count upwards by one to its end");
  const auto *Cond =
      dyn_cast<BinaryOperator>(For->getCond()->IgnoreParenImpCasts());
  if (!Cond || !Cond->isRelationalOp() ||
      K.Context->getTypeSize(L.Variable->getType()) < LeastBitsOfIndex)
    return no("a loop may step over its end");
  bool OnLeft = Cond->getOpcode() == BO_LT || Cond->getOpcode() == BO_LE;
  const Expr *Variable = OnLeft ? Cond->getLHS() : Cond->getRHS();
  const auto *Ref = dyn_cast<DeclRefExpr>(Variable->IgnoreParenImpCasts());
  if (!Ref || Ref->getDecl() != L.Variable ||
      !isSteady(OnLeft ? Cond->getRHS() : Cond->getLHS(), Assignments::of(For)))
    return no("the end of a loop moves");
  Row.For = For;
  Row.Step = For->getInc();
  if (const auto *Decls = dyn_cast<DeclStmt>(For->getInit())) {
    Row.Start = cast<VarDecl>(Decls->getSingleDecl())->getInit();
    return true;
  }
  const auto *Assign =
      dyn_cast<BinaryOperator>(cast<Expr>(For->getInit())->IgnoreParens());
  if (!Assign)
    return no("a loop does not begin with an assignment");
  Row.Start = Assign->getRHS();
  // After the loop every lane would see another value.
  bool Elsewhere = findIn(Tree.body(), [&](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    return Ref && Ref->getDecl() == L.Variable &&
           llvm::none_of(K.Loops, [&](const auto &Other) {
             return Other->Variable == L.Variable && !Other->Parent &&
                    Tree.contains(Other->Statement, Ref);
           });
  });
  return !Elsewhere ||
         no("the variable of a loop is used outside of its loops");
}

/// What outlives an iteration is a reduction.
bool RowFinder::reductions(RowLoop &Row) {
  Declared Inside(Row.For);
  const Assignments Changed = Assignments::of(Row.For);
  for (const ValueDecl *V : Changed.changed()) {
    if (V == Row.L->Variable || Inside.Variables.contains(V))
      continue;
    auto Found = findReduction(K, *Row.L, cast<VarDecl>(V), Obstacle);
    if (!Found)
      return false;
    Row.Reductions.push_back(std::move(*Found));
  }
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.Space == MemorySpace::Local &&
        Tree.contains(Row.For, Access.Expression) &&
        !Inside.Variables.contains(Access.Base))
      return no("a local array outlives an iteration");
  return true;
}

bool RowFinder::loops() {
  for (const auto &L : K.Loops) {
    if (L->Parent)
      continue;
    RowLoop Row;
    Row.L = L.get();
    if (!head(Row) || !reductions(Row))
      return false;
    R.Loops.push_back(std::move(Row));
  }
  const SourceManager &SM = K.Context->getSourceManager();
  llvm::sort(R.Loops, [&](const RowLoop &X, const RowLoop &Y) {
    return SM.isBeforeInTranslationUnit(X.For->getBeginLoc(),
                                        Y.For->getBeginLoc());
  });
  return !R.Loops.empty() || no("the kernel has no loop");
}

/// Some loop walks memory in that order: element by element, where neighbouring
/// threads walk distant parts of it, or else side by side with them.
bool RowFinder::walks(RowOrder Order) const {
  SymbolId Thread = K.Symbols.builtin(SymbolKind::ThreadIdx, 0);
  auto DependsOnRow = [&](const Polynomial &P) {
    return P.usesAny(
        [&](SymbolId Id) { return K.Symbols.dependsOn(Id, Thread); });
  };
  return llvm::any_of(K.Accesses, [&](const MemoryAccess &Access) {
    const RowLoop *Row = loopOf(Access);
    if (!Row || Access.Space != MemorySpace::Global)
      return false;
    SymbolId Depth = Row->L->VariableSymbol;
    auto Stride = Access.Index.coefficientOf(Depth);
    Polynomial Rest = Access.Index.without(Depth);
    auto AlongRow = Access.Index.coefficientOf(Thread);
    if (Order == RowOrder::Across)
      return AlongRow == Polynomial(1) && Stride && !Stride->isZero();
    return Stride == Polynomial(1) &&
           (!R.Row || (AlongRow != Polynomial(1) &&
                       (DependsOnRow(Rest) || DependsOnRow(Row->L->Lower))));
  });
}

std::optional<RowKernel> RowFinder::find(RowOrder Order) {
  if (!isPlainKernel() || !row() || !loops() || !memory())
    return std::nullopt;
  if (!walks(Order)) {
    no("no loop walks memory in the order that gains");
    return std::nullopt;
  }
  const SourceManager &SM = K.Context->getSourceManager();
  llvm::sort(R.Stores, [&](const Expr *X, const Expr *Y) {
    return SM.isBeforeInTranslationUnit(X->getBeginLoc(), Y->getBeginLoc());
  });
  alignStarts();
  R.Evidence.insert(
      R.Evidence.begin(),
      {R.Row ? "every loop of a row reduces into one value or handles each "
               "element by itself"
             : "every loop reduces into one value or handles each element by "
               "itself",
       R.Row ? "what the kernel computes outside of its loops depends on the "
               "row only"
             : "the kernel does not use thread or block indices"});
  return std::move(R);
}

std::optional<RowKernel> findRowKernel(const Kernel &K,
                                       const ProgramAnalysis &A,
                                       const StatementTree &Tree,
                                       RowOrder Order, std::string &Obstacle) {
  return RowFinder(K, A, Tree, Obstacle).find(Order);
}

} // namespace cudal1
