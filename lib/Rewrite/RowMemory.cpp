//===- RowMemory.cpp - What the iterations of a row do to memory ----------===//
//
// Elements that belong to an iteration, elements that a row uses like a
// variable, and stores outside of the loops: nothing else may be written.
//
//===----------------------------------------------------------------------===//

#include "RowFinder.h"

#include "cudal1/Rewrite/LoopMemory.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

static bool isOutside(const StatementTree &Tree, const Stmt *S,
                      const std::vector<RowLoop> &Loops) {
  return llvm::none_of(
      Loops, [&](const RowLoop &L) { return Tree.contains(L.For, S); });
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

/// The loops come first, and one thread of the row makes all other accesses
/// when all threads are done with them.
bool RowFinder::elementsAndStores(const Accesses &Uses) {
  Accesses Inside, Behind;
  for (const MemoryAccess *Use : Uses) {
    bool InLoop = loopOf(*Use) != nullptr;
    if (InLoop && !Behind.empty())
      return elementWise(Uses);
    (InLoop ? Inside : Behind).push_back(Use);
  }
  if (Behind.empty() || !elementWise(Inside) || !singleStores(Behind))
    return elementWise(Uses);
  const RowLoop *Last = loopOf(*Inside.back());
  if (!llvm::is_contained(R.Barriers, Last->For))
    R.Barriers.push_back(Last->For);
  return true;
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
    bool IsAtomic = llvm::any_of(Uses, [](const MemoryAccess *Use) {
      return Use->Kind == AccessKind::Atomic;
    });
    if (IsAtomic) {
      if (!singleStores(Uses))
        return no("an atomic operation is made in a loop, or its result is "
                  "used");
      continue;
    }
    if (Moves ? !elementsAndStores(Uses)
              : !singleStores(Uses) && !element(Uses))
      return false;
  }
  return !Seen.empty() || no("the kernel writes nothing");
}

} // namespace cudal1
