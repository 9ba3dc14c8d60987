//===- SharedTrees.cpp - Trees over the threads of a block ----------------===//

#include "SharedTrees.h"

#include "TreeLoop.h"
#include "cudal1/Analysis/BuiltinVariables.h"
#include "cudal1/Rewrite/Guards.h"
#include "cudal1/Rewrite/LoopMemory.h"
#include "cudal1/Rewrite/Spelling.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;

namespace cudal1 {

/// Blocks of fewer threads have no tree to speak of.
static constexpr int64_t LeastBlock = 64;

namespace {

using Accesses = std::vector<const MemoryAccess *>;

class TreeFinder {
public:
  TreeFinder(const Kernel &K, const ProgramAnalysis &A,
             const StatementTree &Tree, std::string &Obstacle)
      : K(K), A(A), Tree(Tree), Obstacle(Obstacle),
        Thread(
            Polynomial::symbol(K.Symbols.builtin(SymbolKind::ThreadIdx, 0))) {}

  SharedTrees find();

private:
  bool no(const llvm::Twine &Why) {
    Obstacle = Why.str();
    return false;
  }
  bool readBlock();
  bool isPlainKernel();
  bool isWithin(const Stmt *Outer, const MemoryAccess &Access) const {
    return Tree.contains(Outer, Access.Expression);
  }
  bool comesBefore(const Stmt *X, const Stmt *Y) const;
  Accesses accessesTo(const VarDecl *Array) const;
  std::optional<SharedTree> read(const Loop &L) const;
  std::optional<TreeArray> readUpdate(const Loop &L, const Stmt *Update,
                                      const TreeLoop &Head) const;
  bool assign(const VarDecl *Array);
  const Stmt *loopAround(const Stmt *S) const;
  bool isVisibleAt(const Expr *Index, const Stmt *Loop) const;
  bool isResult(const MemoryAccess &Access) const;
  bool place(const Accesses &All,
             const std::vector<std::pair<SharedTree *, TreeArray *>> &Phases);
  bool finish(SharedTree &T, TreeArray &A);

  const Kernel &K;
  const ProgramAnalysis &A;
  const StatementTree &Tree;
  std::string &Obstacle;
  Polynomial Thread;
  SharedTrees Result;
};

} // namespace

/// All launches have blocks of one line of threads, of one power of two.
bool TreeFinder::readBlock() {
  if (auto Unseen = A.unseenLaunches(K))
    return no(*Unseen);
  for (const Launch *L : K.Launches) {
    const auto &Block = L->BlockExtent;
    if (!Block[0].Value || Block[1].Value != 1 || Block[2].Value != 1 ||
        (Result.BlockSize && Result.BlockSize != *Block[0].Value))
      return no("the block is not one and the same line of threads");
    Result.BlockSize = *Block[0].Value;
  }
  return (Result.BlockSize >= LeastBlock &&
          llvm::isPowerOf2_64(uint64_t(Result.BlockSize))) ||
         no("the block's size is no power of two");
}

bool TreeFinder::isPlainKernel() {
  if (K.HasEarlyReturn || !K.UnknownCalls.empty() || K.HasAsm)
    return no("threads may leave before the tree");
  unsigned Dynamic = 0;
  for (const ArrayVariable &Array : K.SharedArrays)
    Dynamic += Array.Dynamic;
  if (Dynamic > 1)
    return no("arrays of dynamic shared memory overlap");
  for (const MemoryAccess &Access : K.Accesses)
    if (!Access.Base)
      return no("an access cannot be followed");
  return !findIn(Tree.body(), [](const Stmt *S) {
    return isa<GotoStmt, IndirectGotoStmt, LabelStmt, LambdaExpr, SwitchStmt>(
        S);
  }) || no("jumps cannot be followed");
}

bool TreeFinder::comesBefore(const Stmt *X, const Stmt *Y) const {
  const SourceManager &SM = K.Context->getSourceManager();
  return SM.isBeforeInTranslationUnit(SM.getExpansionLoc(X->getBeginLoc()),
                                      SM.getExpansionLoc(Y->getBeginLoc()));
}

/// In source order.
Accesses TreeFinder::accessesTo(const VarDecl *Array) const {
  Accesses All;
  for (const MemoryAccess &Access : K.Accesses)
    if (Access.Base == Array)
      All.push_back(&Access);
  llvm::sort(All, [&](const MemoryAccess *X, const MemoryAccess *Y) {
    return comesBefore(X->Expression, Y->Expression);
  });
  return All;
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Nothing takes part in \p S but \p Operands, combined by operators and
/// functions: no number, no other variable, no difference.
static bool combinesOnly(const Stmt *S, llvm::ArrayRef<const Expr *> Operands) {
  if (!S)
    return true;
  if (const auto *E = dyn_cast<Expr>(S);
      E && llvm::is_contained(Operands, E->IgnoreParens()))
    return true;
  if (const auto *Op = dyn_cast<BinaryOperator>(S))
    if (Op->getOpcode() == BO_Sub || Op->getOpcode() == BO_SubAssign ||
        Op->isLogicalOp() || Op->getOpcode() == BO_Comma)
      return false;
  if (const auto *Call = dyn_cast<CallExpr>(S))
    return llvm::all_of(Call->arguments(), [&](const Expr *Argument) {
      return combinesOnly(Argument, Operands);
    });
  if (!isa<BinaryOperator, ConditionalOperator, ParenExpr, ImplicitCastExpr,
           IfStmt, CompoundStmt, MaterializeTemporaryExpr, FullExpr>(S) ||
      (isa<CompoundStmt>(S) && cast<CompoundStmt>(S)->size() != 1))
    return false;
  return llvm::all_of(S->children(), [&](const Stmt *Child) {
    return combinesOnly(Child, Operands);
  });
}

/// `s[i]`, or `*s`, of the array itself and in its own type.
static bool namesElement(const MemoryAccess &Access) {
  const Expr *E = Access.Expression->IgnoreParens(), *Pointer = nullptr;
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E))
    Pointer = Subscript->getBase();
  else if (const auto *Deref = dyn_cast<UnaryOperator>(E);
           Deref && Deref->getOpcode() == UO_Deref)
    Pointer = Deref->getSubExpr();
  const auto *Ref =
      Pointer ? dyn_cast<DeclRefExpr>(Pointer->IgnoreParenImpCasts()) : nullptr;
  return Ref && Ref->getDecl() == Access.Base && !Access.InCallee &&
         Access.Kind != AccessKind::Atomic && Access.Member.empty() &&
         !E->getType().isVolatileQualified();
}

/// `s[t] += s[t + distance];`
std::optional<TreeArray> TreeFinder::readUpdate(const Loop &L,
                                                const Stmt *Update,
                                                const TreeLoop &Head) const {
  Accesses Firsts, Seconds;
  const MemoryAccess *Written = nullptr;
  for (const MemoryAccess *Access : accessesIn(K, Tree, Update))
    if (Access->writes())
      Written = Access;
  const auto *Array = Written ? dyn_cast<VarDecl>(Written->Base) : nullptr;
  if (!Array || Written->Space != MemorySpace::Shared)
    return std::nullopt;
  std::vector<const Expr *> Operands;
  TreeLoopReader Reader(K, Tree, Result.BlockSize);
  for (const MemoryAccess *Access : accessesIn(K, Tree, Update)) {
    if (Access->Base != Array || !namesElement(*Access))
      return std::nullopt;
    Operands.push_back(Access->Expression->IgnoreParens());
    if (Access->Index == Written->Index)
      Firsts.push_back(Access);
    else if (!Access->writes() &&
             Reader.combines(Head, Written->Index, Access->Index))
      Seconds.push_back(Access);
    else
      return std::nullopt;
  }
  std::string Why;
  auto R = findReduction(K, L, Firsts, Why);
  // A comparison names what it takes twice.
  if (!R || Seconds.size() != (R->Compares ? 2 : 1) ||
      !combinesOnly(Update, Operands))
    return std::nullopt;
  // Lanes would disagree about numbers that compare with nothing.
  if (R->Compares && R->Type->isFloatingType())
    return std::nullopt;
  TreeArray Found;
  Found.Array = Array;
  Found.R = std::move(*R);
  return Found;
}

std::optional<SharedTree> TreeFinder::read(const Loop &L) const {
  TreeLoopReader Reader(K, Tree, Result.BlockSize);
  auto Head = Reader.read(L.Statement);
  if (!Head || !Tree.block(L.Statement))
    return std::nullopt;
  SharedTree T;
  T.Loop = L.Statement;
  T.Counter = Head->Counter;
  T.Doubles = Head->Doubles;
  std::vector<const Stmt *> Updates{Head->If->getThen()};
  if (const auto *Block = dyn_cast<CompoundStmt>(Updates.front()))
    Updates.assign(Block->body_begin(), Block->body_end());
  for (const Stmt *Update : Updates) {
    auto Array = readUpdate(L, Update, *Head);
    if (!Array || llvm::any_of(T.Arrays, [&](const TreeArray &Other) {
          return Other.Array == Array->Array;
        }))
      return std::nullopt;
    T.Arrays.push_back(std::move(*Array));
  }
  // What the condition reads must be the thread's number alone.
  for (const MemoryAccess *Access : accessesIn(K, Tree, L.Statement))
    if (Access->Space != MemorySpace::Local &&
        !Tree.contains(Head->If->getThen(), Access->Expression))
      return std::nullopt;
  std::vector<const Stmt *> Before = Tree.before(L.Statement);
  if (T.Counter && !Before.empty() && Before.front() == T.Counter)
    Before.erase(Before.begin());
  if (!Before.empty() && TreeLoopReader::isBarrier(Before.front()))
    T.Before = Before.front();
  return T.Arrays.empty() ? std::nullopt : std::optional(std::move(T));
}

//===----------------------------------------------------------------------===//
// What is done before and after them
//===----------------------------------------------------------------------===//

/// The first element, read by name or by the thread whose own it is.
bool TreeFinder::isResult(const MemoryAccess &Access) const {
  if (Access.Kind != AccessKind::Read)
    return false;
  return Access.Index.isZero() ||
         (Access.Index == Thread &&
          Guards(K, Tree, Access.Expression).provesNonNegative(-Thread));
}

/// Gives every access to an array its part in one of the trees over it.
bool TreeFinder::place(
    const Accesses &All,
    const std::vector<std::pair<SharedTree *, TreeArray *>> &Phases) {
  std::string Name = All.front()->Base->getNameAsString();
  for (const MemoryAccess *Access : All) {
    size_t Done = 0;
    bool InTree = false;
    for (const auto &[T, Array] : Phases) {
      InTree |= isWithin(T->Loop, *Access);
      Done += comesBefore(T->Loop, Access->Expression);
    }
    if (InTree)
      continue;
    if (!namesElement(*Access))
      return no("`" + Name + "` is accessed in other ways too");
    bool Begun = Done < Phases.size() && !Phases[Done].second->Own.empty();
    bool Ended = Done > 0;
    if (Ended && !Begun && isResult(*Access))
      Phases[Done - 1].second->Results.push_back(Access);
    else if (Done < Phases.size() && Access->Index == Thread)
      Phases[Done].second->Own.push_back(Access);
    else
      return no("threads access elements of `" + Name +
                "` that are not their own");
  }
  return true;
}

/// Finds the statement that begins a phase, beside its loop.
bool TreeFinder::finish(SharedTree &T, TreeArray &Array) {
  const CompoundStmt *Block = Tree.block(T.Loop);
  std::string Name = Array.Array->getNameAsString();
  if (Array.Own.empty())
    return no("nothing is put into `" + Name + "`");
  for (const MemoryAccess *Access : Array.Own)
    if (!isWithin(Block, *Access))
      return no("`" + Name + "` is set outside of the tree's block");
  for (const MemoryAccess *Access : Array.Results)
    if (!isWithin(Block, *Access))
      return no("`" + Name + "` is used outside of the tree's block");
  const Stmt *First = Array.Own.front()->Expression;
  while (Tree.parent(First) != Block)
    First = Tree.parent(First);
  Array.First = First;
  const auto *Assign = dyn_cast<BinaryOperator>(First);
  if (Assign && Assign->getOpcode() == BO_Assign &&
      Assign->getLHS()->IgnoreParens() ==
          Array.Own.front()->Expression->IgnoreParens() &&
      llvm::none_of(llvm::drop_begin(Array.Own),
                    [&](const MemoryAccess *Access) {
                      return isWithin(Assign, *Access);
                    }))
    Array.Assignment = Assign;
  Array.IsUsedBefore |= loopAround(T.Loop) != nullptr;
  if (Array.Own.front()->Kind != AccessKind::Write ||
      (Array.IsUsedBefore && !Array.Assignment))
    return no("`" + Name + "` may hold what another tree left");
  const auto *Subscript = dyn_cast<ArraySubscriptExpr>(
      Array.Own.front()->Expression->IgnoreParens());
  if (!Subscript || !isVisibleAt(Subscript->getIdx(), T.Loop))
    return no("`" + Name + "` is not accessed by the thread's number");
  T.Thread = spell(Subscript->getIdx(), *K.Context);
  return !T.Thread.empty() || no("the thread's number is made by a macro");
}

/// Some statement around \p S is a loop.
const Stmt *TreeFinder::loopAround(const Stmt *S) const {
  for (S = Tree.parent(S); S; S = Tree.parent(S))
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S))
      return S;
  return nullptr;
}

/// The index of an own element may be written beside the loop too.
bool TreeFinder::isVisibleAt(const Expr *Index, const Stmt *Loop) const {
  const auto *Ref = dyn_cast<DeclRefExpr>(Index->IgnoreParenImpCasts());
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V)
    return asBuiltinVariable(Index).has_value();
  const Stmt *Declaration = findIn(Tree.body(), [&](const Stmt *S) {
    const auto *Decls = dyn_cast<DeclStmt>(S);
    return Decls && llvm::is_contained(Decls->decls(), V);
  });
  const Stmt *Block = Declaration ? Tree.parent(Declaration) : nullptr;
  return isa_and_nonnull<CompoundStmt>(Block) && Tree.contains(Block, Loop);
}

/// Every access to \p Array belongs to one of the trees over it.
bool TreeFinder::assign(const VarDecl *Array) {
  std::vector<std::pair<SharedTree *, TreeArray *>> Phases;
  for (SharedTree &T : Result.Trees)
    for (TreeArray &Part : T.Arrays)
      if (Part.Array == Array) {
        Part.Own.clear();
        Part.Results.clear();
        Part.IsUsedBefore = !Phases.empty();
        Phases.emplace_back(&T, &Part);
      }
  return place(accessesTo(Array), Phases) &&
         llvm::all_of(Phases, [&](const auto &Phase) {
           return finish(*Phase.first, *Phase.second);
         });
}

SharedTrees TreeFinder::find() {
  if (K.SharedArrays.empty() || K.Barriers.empty() || !readBlock() ||
      !isPlainKernel())
    return {};
  for (const auto &L : K.Loops)
    if (auto T = read(*L))
      Result.Trees.push_back(std::move(*T));
  llvm::sort(Result.Trees, [&](const SharedTree &X, const SharedTree &Y) {
    return comesBefore(X.Loop, Y.Loop);
  });
  // A tree that stays needs its arrays as they are.
  auto Fails = [&](const SharedTree &T) {
    return llvm::any_of(
        T.Arrays, [&](const TreeArray &Part) { return !assign(Part.Array); });
  };
  for (size_t I = 0; I < Result.Trees.size();) {
    if (!Fails(Result.Trees[I])) {
      ++I;
      continue;
    }
    Result.Trees.erase(Result.Trees.begin() + ptrdiff_t(I));
    I = 0;
  }
  return std::move(Result);
}

SharedTrees findSharedTrees(const Kernel &K, const ProgramAnalysis &A,
                            const StatementTree &Tree, std::string &Obstacle) {
  return TreeFinder(K, A, Tree, Obstacle).find();
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

namespace {

/// Looks for products that the compiler may fuse with the first addition of a
/// tree, once both are computed in registers: they then round once.
class ProductFinder {
public:
  explicit ProductFinder(const Stmt *Body) : Changes(Assignments::of(Body)) {}

  /// \p E may be the result of a multiplication.
  bool isProduct(const Expr *E, unsigned Depth = 0) const;

private:
  Assignments Changes;
};

} // namespace

bool ProductFinder::isProduct(const Expr *E, unsigned Depth) const {
  constexpr unsigned MaxDepth = 8;
  E = E->IgnoreParenImpCasts();
  if (Depth > MaxDepth || isa<CallExpr>(E))
    return true;
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E))
    return isProduct(Cast->getSubExpr(), Depth + 1);
  if (const auto *Op = dyn_cast<UnaryOperator>(E))
    return Op->getOpcode() != UO_Deref &&
           isProduct(Op->getSubExpr(), Depth + 1);
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
    return isProduct(Choice->getTrueExpr(), Depth + 1) ||
           isProduct(Choice->getFalseExpr(), Depth + 1);
  if (const auto *Op = dyn_cast<BinaryOperator>(E))
    return !Op->isAdditiveOp() && Op->getOpcode() != BO_Div;
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || !V->isLocalVarDecl())
    return !isa<FloatingLiteral, IntegerLiteral, ArraySubscriptExpr, MemberExpr,
                DeclRefExpr>(E);
  if (V->getInit() && isProduct(V->getInit(), Depth + 1))
    return true;
  return llvm::any_of(Changes.changesOf(V),
                      [&](const Assignments::Change &Change) {
                        const auto *Op = dyn_cast<BinaryOperator>(Change.Where);
                        if (Change.Value)
                          return isProduct(Change.Value, Depth + 1);
                        return !Op || (Op->getOpcode() != BO_AddAssign &&
                                       Op->getOpcode() != BO_SubAssign);
                      });
}

/// A value that a thread puts into its element may be a product.
static bool mayFuse(const TreeArray &Array, const Stmt *Body) {
  ProductFinder Products(Body);
  return findIn(Body, [&](const Stmt *S) {
    const auto *Op = dyn_cast<BinaryOperator>(S);
    if (!Op || !Op->isAssignmentOp() ||
        llvm::none_of(Array.Own, [&](const MemoryAccess *Access) {
          return Access->Expression->IgnoreParens() ==
                 Op->getLHS()->IgnoreParens();
        }))
      return false;
    return Op->getOpcode() == BO_Assign ? Products.isProduct(Op->getRHS())
                                        : Op->getOpcode() != BO_AddAssign &&
                                              Op->getOpcode() != BO_SubAssign;
  });
}

bool SharedTrees::isExact(const StatementTree &Tree) const {
  return llvm::all_of(Trees, [&](const SharedTree &T) {
    return llvm::all_of(T.Arrays, [&](const TreeArray &Array) {
      return Array.R.isExact() ||
             (T.Doubles && Array.R.Op == ReductionOp::Sum &&
              !mayFuse(Array, Tree.body()));
    });
  });
}

} // namespace cudal1
