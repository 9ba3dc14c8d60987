//===- RowKernel.cpp - Kernels in which a thread walks a row --------------===//

#include "RowKernel.h"

#include "GlobalIds.h"
#include "LaunchEdits.h"
#include "cudal1/Analysis/Assignments.h"
#include "cudal1/Rewrite/LoopMemory.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

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

class RowFinder {
public:
  RowFinder(const Kernel &K, const ProgramAnalysis &A,
            const StatementTree &Tree, std::string &Obstacle)
      : K(K), A(A), Tree(Tree), Obstacle(Obstacle),
        Changes(Assignments::of(Tree.body())) {}

  std::optional<RowKernel> find();

private:
  using Accesses = std::vector<const MemoryAccess *>;

  bool no(const llvm::Twine &Why) {
    Obstacle = Why.str();
    return false;
  }
  bool isPlainKernel();
  bool row();
  bool loops();
  bool isSteady(const Expr *E, const Assignments &Where) const;
  bool head(RowLoop &Row);
  bool reductions(RowLoop &Row);
  bool memory();
  bool isDisjoint(const MemoryAccess &Written);
  bool elementWise(const Accesses &Uses);
  bool singleStores(const Accesses &Uses);
  bool element(const Accesses &Uses);
  bool elementReductions(const Accesses &Uses);
  bool firstValue(const Accesses &Uses);
  bool gains() const;
  const RowLoop *loopOf(const MemoryAccess &Access) const;
  const Stmt *storeOf(const MemoryAccess &Access) const;

  const Kernel &K;
  const ProgramAnalysis &A;
  const StatementTree &Tree;
  std::string &Obstacle;
  Assignments Changes;
  RowKernel R;
  /// Pairs of arrays that were found apart.
  std::vector<std::pair<const ValueDecl *, const ValueDecl *>> Disjoint;
};

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

static bool isOutside(const StatementTree &Tree, const Stmt *S,
                      const std::vector<RowLoop> &Loops) {
  return llvm::none_of(
      Loops, [&](const RowLoop &L) { return Tree.contains(L.For, S); });
}

/// Nothing happens in the kernel but arithmetic and plain accesses, and what
/// is executed depends on conditions alone.
bool RowFinder::isPlainKernel() {
  if (!K.Barriers.empty() || !K.SharedArrays.empty() ||
      !K.WarpOperations.empty() || !K.Atomics.empty() ||
      !K.UnknownCalls.empty() || K.HasAsm || showsOrder(K) ||
      !callsLeaveMemoryAlone(K, Tree.body()))
    return no("the kernel does more than arithmetic on memory");
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.InCallee || !Access.Base || Access.Kind == AccessKind::Atomic ||
        Access.Expression->getType().isVolatileQualified() ||
        (Access.Space != MemorySpace::Global &&
         Access.Space != MemorySpace::Constant &&
         Access.Space != MemorySpace::Local))
      return no("an access cannot be followed");
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

/// One variable holds the number of the thread, everything is under a guard,
/// and no other use is made of thread and block indices.
bool RowFinder::row() {
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

const RowLoop *RowFinder::loopOf(const MemoryAccess &Access) const {
  for (const RowLoop &L : R.Loops)
    if (Tree.contains(L.For, Access.Expression))
      return &L;
  return nullptr;
}

/// Nothing else that the kernel accesses shares memory with \p Written.
bool RowFinder::isDisjoint(const MemoryAccess &Written) {
  std::vector<const ValueDecl *> Seen;
  for (const MemoryAccess &Other : K.Accesses) {
    if (Other.Base == Written.Base || Other.Space == MemorySpace::Local ||
        llvm::is_contained(Seen, Other.Base) ||
        llvm::is_contained(Disjoint, std::pair(Other.Base, Written.Base)))
      continue;
    Seen.push_back(Other.Base);
    OverlapAnswer Answer = A.basesMayOverlap(K, Written, Other);
    if (!Answer.disjoint())
      return no(Answer.Reason);
    Disjoint.emplace_back(Written.Base, Other.Base);
    if (!llvm::is_contained(R.Evidence, Answer.Reason))
      R.Evidence.push_back(Answer.Reason);
  }
  return true;
}

/// Every access is to the element that belongs to the iteration, and the same
/// thread makes it in every loop.
bool RowFinder::elementWise(const Accesses &Uses) {
  const RowLoop *First = loopOf(*Uses.front());
  std::optional<Polynomial> Common;
  for (const MemoryAccess *Use : Uses) {
    std::string Name = Use->Base->getNameAsString();
    const RowLoop *Row = loopOf(*Use);
    if (!Row)
      return no("`" + Name + "` is also accessed outside of the loops");
    SymbolId Depth = Row->L->VariableSymbol;
    auto Stride = Use->Index.coefficientOf(Depth);
    const auto Bound = K.Symbols.findVariable(R.Bound);
    bool Moves = Stride && ((Stride->constant() && !Stride->isZero()) ||
                            (Bound && *Stride == Polynomial::symbol(*Bound)));
    if (!Moves || !K.isInvariantIn(Use->Index.without(Depth), *Row->L) ||
        !K.isStable(Use->Index))
      return no("iterations may access the same element of `" + Name + "`");
    Polynomial Index = Use->Index.substitute(
        Depth, Polynomial::symbol(First->L->VariableSymbol));
    if (Common && !(Index == *Common))
      return no("an iteration accesses elements of `" + Name +
                "` that another one writes");
    Common = Index;
    if (Row != First &&
        (!(Row->L->Lower == First->L->Lower) ||
         !isSteady(Row->Start, Changes) || !isSteady(First->Start, Changes)))
      return no("loops over `" + Name + "` do not begin at the same element");
    if (!isWholeElement(K, *Use) || Use->Member != Uses.front()->Member ||
        Use->ElementSize != Uses.front()->ElementSize)
      return no("`" + Name + "` is accessed in parts");
  }
  return true;
}

/// The statement outside of the loops that \p Access belongs to, if it does no
/// more than to store.
const Stmt *RowFinder::storeOf(const MemoryAccess &Access) const {
  const Stmt *S = Access.Expression;
  while (const Stmt *Parent = Tree.parent(S)) {
    const auto *If = dyn_cast<IfStmt>(Parent);
    if (isa<CompoundStmt>(Parent) ||
        (If && (S == If->getThen() || S == If->getElse())))
      break;
    S = Parent;
  }
  const auto *E = dyn_cast<Expr>(S);
  return E && Assignments::of(E).changed().empty() &&
                 isOutside(Tree, E, R.Loops)
             ? S
             : nullptr;
}

/// One thread of the row makes all accesses, in the order of the author.
bool RowFinder::singleStores(const Accesses &Uses) {
  std::vector<const Expr *> Found;
  for (const MemoryAccess *Use : Uses) {
    const Stmt *Store = storeOf(*Use);
    if (!Store)
      return false;
    Found.push_back(cast<Expr>(Store));
  }
  for (const Expr *Store : Found)
    if (!llvm::is_contained(R.Stores, Store))
      R.Stores.push_back(Store);
  return true;
}

/// Finds `y[row] = ...;` before all other uses of the element, in a block that
/// holds them all.
bool RowFinder::firstValue(const Accesses &Uses) {
  std::string Name = Uses.front()->Base->getNameAsString();
  const auto *First = dyn_cast_or_null<BinaryOperator>(storeOf(*Uses.front()));
  const auto *Block =
      dyn_cast_or_null<CompoundStmt>(First ? Tree.parent(First) : nullptr);
  if (!Block || First->getOpcode() != BO_Assign ||
      First->getLHS()->IgnoreParens() !=
          Uses.front()->Expression->IgnoreParens() ||
      llvm::any_of(llvm::drop_begin(Uses), [&](const MemoryAccess *Use) {
        return Tree.contains(First, Use->Expression);
      }))
    return no("`" + Name + "` is not set before the loop");
  RowElement Element;
  Element.Uses = Uses;
  Element.First = First;
  size_t Inside = 0;
  bool Reached = false, Jumps = false;
  for (const Stmt *Child : Block->body()) {
    Reached |= Child == First;
    size_t Here = llvm::count_if(Uses, [&](const MemoryAccess *Use) {
      return Tree.contains(Child, Use->Expression);
    });
    Inside += Reached ? Here : 0;
    if (Here)
      Element.Last = Child;
    // A jump must not pass the store at the end.
    Jumps |= Reached && Inside <= Uses.size() && mayLeaveFunctionOrJump(Child);
    if (Inside == Uses.size())
      break;
  }
  if (Inside != Uses.size() || Jumps)
    return no("`" + Name + "` is used where its value may not be set");
  R.Elements.push_back(std::move(Element));
  return true;
}

bool RowFinder::elementReductions(const Accesses &Uses) {
  for (RowLoop &Row : R.Loops) {
    Accesses Inside;
    llvm::copy_if(Uses, std::back_inserter(Inside),
                  [&](const MemoryAccess *Use) {
                    return Tree.contains(Row.For, Use->Expression);
                  });
    if (llvm::none_of(Inside,
                      [](const MemoryAccess *Use) { return Use->writes(); }))
      continue;
    if (!K.isInvariantIn(Uses.front()->Index, *Row.L))
      return no("an element that loops write moves");
    auto Found = findReduction(K, *Row.L, Inside, Obstacle);
    if (!Found)
      return false;
    Row.Reductions.push_back(std::move(*Found));
  }
  return true;
}

/// The row uses one element of the array, like a variable.
bool RowFinder::element(const Accesses &Uses) {
  for (const MemoryAccess *Use : Uses)
    if (!isSameElement(K, *Uses.front(), *Use) || !Use->Member.empty())
      return no("several elements of `" + Use->Base->getNameAsString() +
                "` are used");
  return elementReductions(Uses) && firstValue(Uses);
}

bool RowFinder::memory() {
  std::vector<const ValueDecl *> Seen;
  const SourceManager &SM = K.Context->getSourceManager();
  for (const MemoryAccess &Access : K.Accesses) {
    if (!Access.writes() || Access.Space == MemorySpace::Local ||
        llvm::is_contained(Seen, Access.Base))
      continue;
    Seen.push_back(Access.Base);
    if (!K.parameter(Access.Base) || !isDisjoint(Access))
      return Obstacle.empty() ? no("it writes what is no parameter's memory")
                              : false;
    Accesses Uses;
    for (const MemoryAccess &Use : K.Accesses)
      if (Use.Base == Access.Base)
        Uses.push_back(&Use);
    llvm::sort(Uses, [&](const MemoryAccess *X, const MemoryAccess *Y) {
      return SM.isBeforeInTranslationUnit(
          SM.getExpansionLoc(X->Expression->getBeginLoc()),
          SM.getExpansionLoc(Y->Expression->getBeginLoc()));
    });
    bool Moves = llvm::any_of(Uses, [&](const MemoryAccess *Use) {
      const RowLoop *Row = loopOf(*Use);
      return Row && Use->writes() && !K.isInvariantIn(Use->Index, *Row->L);
    });
    if (Moves ? !elementWise(Uses) : !singleStores(Uses) && !element(Uses))
      return false;
  }
  return !Seen.empty() || no("the kernel writes nothing");
}

/// Some loop walks memory element by element, where neighbouring threads walk
/// distant parts of it.
bool RowFinder::gains() const {
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
    return Stride == Polynomial(1) && AlongRow != Polynomial(1) &&
           (DependsOnRow(Rest) || DependsOnRow(Row->L->Lower));
  });
}

std::optional<RowKernel> RowFinder::find() {
  if (!isPlainKernel() || !row() || !loops() || !memory())
    return std::nullopt;
  if (!gains()) {
    no("no loop walks memory in steps of one element");
    return std::nullopt;
  }
  const SourceManager &SM = K.Context->getSourceManager();
  llvm::sort(R.Stores, [&](const Expr *X, const Expr *Y) {
    return SM.isBeforeInTranslationUnit(X->getBeginLoc(), Y->getBeginLoc());
  });
  R.Evidence.insert(
      R.Evidence.begin(),
      {"every loop of a row reduces into one value or handles each element by "
       "itself",
       "what the kernel computes outside of its loops depends on the row "
       "only"});
  return std::move(R);
}

std::optional<RowKernel> findRowKernel(const Kernel &K,
                                       const ProgramAnalysis &A,
                                       const StatementTree &Tree,
                                       std::string &Obstacle) {
  return RowFinder(K, A, Tree, Obstacle).find();
}

} // namespace cudal1
