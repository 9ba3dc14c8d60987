//===- ElementInLoop.cpp - One array element used by a loop ---------------===//

#include "cudal1/Rewrite/ElementInLoop.h"
#include "cudal1/Rewrite/Guards.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

bool ElementInLoop::isWritten() const {
  return llvm::any_of(Uses, [](const MemoryAccess *U) { return U->writes(); });
}

bool ElementInLoop::isRead() const {
  return llvm::any_of(Uses, [](const MemoryAccess *U) { return U->reads(); });
}

ValueUse valueUse(const StatementTree &Tree, const Expr *LValue) {
  const Stmt *Child = LValue;
  const Stmt *Parent = Tree.parent(Child);
  while (isa_and_nonnull<ParenExpr>(Parent)) {
    Child = Parent;
    Parent = Tree.parent(Child);
  }
  if (const auto *Cast = dyn_cast_or_null<ImplicitCastExpr>(Parent))
    return Cast->getCastKind() == CK_LValueToRValue ? ValueUse::Read
                                                    : ValueUse::Other;
  if (const auto *Unary = dyn_cast_or_null<UnaryOperator>(Parent))
    return Unary->isIncrementDecrementOp() ? ValueUse::ReadWrite
                                           : ValueUse::Other;
  const auto *Binary = dyn_cast_or_null<BinaryOperator>(Parent);
  if (!Binary || Binary->getLHS() != Child || !Binary->isAssignmentOp())
    return ValueUse::Other;
  return Binary->isCompoundAssignmentOp() ? ValueUse::ReadWrite
                                          : ValueUse::Write;
}

namespace {

/// In the init of the loop: executed whether the loop runs or not.
bool isBeforeLoop(const StatementTree &Tree, const Loop &L,
                  const MemoryAccess &Access) {
  const auto *For = dyn_cast<ForStmt>(L.Statement);
  return For && For->getInit() &&
         Tree.contains(For->getInit(), Access.Expression);
}

bool isKeepable(const Kernel &K, const StatementTree &Tree, const Loop &L,
                const MemoryAccess &Access) {
  QualType Type = Access.Expression->getType();
  return Access.Base && !Access.InCallee && Access.Kind != AccessKind::Atomic &&
         (Access.Space == MemorySpace::Global ||
          Access.Space == MemorySpace::Shared) &&
         Access.ElementSize != 0 && !Type.isVolatileQualified() &&
         Type->isArithmeticType() && K.isStable(Access.Index) &&
         K.isInvariantIn(Access.Index, L) && isa<VarDecl>(Access.Base) &&
         isWholeElement(K, Access) && !Access.Expression->refersToBitField() &&
         !isBeforeLoop(Tree, L, Access) &&
         valueUse(Tree, Access.Expression) != ValueUse::Other;
}

/// Every access of the same element by other means (an address taken, say)
/// must be one of those that can be kept.
bool isComplete(const Kernel &K, const StatementTree &Tree,
                const ElementInLoop &Element) {
  return llvm::all_of(accessesIn(K, Tree, Element.L->Statement),
                      [&](const MemoryAccess *A) {
                        return A->Base != Element.first().Base ||
                               A->Index != Element.first().Index ||
                               A->Member != Element.first().Member ||
                               llvm::is_contained(Element.Uses, A);
                      });
}

} // namespace

std::vector<ElementInLoop>
elementsIn(const Kernel &K, const StatementTree &Tree, const Loop &L) {
  std::vector<ElementInLoop> Result;
  for (const MemoryAccess *Access : accessesIn(K, Tree, L.Statement)) {
    if (!isKeepable(K, Tree, L, *Access))
      continue;
    auto Same = llvm::find_if(Result, [&](const ElementInLoop &E) {
      return isSameElement(K, E.first(), *Access);
    });
    if (Same != Result.end())
      Same->Uses.push_back(Access);
    else
      Result.push_back({&L, {Access}});
  }
  llvm::erase_if(
      Result, [&](const ElementInLoop &E) { return !isComplete(K, Tree, E); });
  for (ElementInLoop &E : Result)
    llvm::sort(E.Uses, [](const MemoryAccess *A, const MemoryAccess *B) {
      return A->Expression->getBeginLoc().getRawEncoding() <
             B->Expression->getBeginLoc().getRawEncoding();
    });
  return Result;
}

bool alwaysAccesses(const Kernel &K, const StatementTree &Tree,
                    const ElementInLoop &Element, bool Writes) {
  auto RunsOnce = [&](const Stmt *Inner) {
    const Loop *L = loopOf(K, Inner);
    return L && runsAtLeastOnce(K, Tree, *L);
  };
  return llvm::any_of(Element.Uses, [&](const MemoryAccess *Use) {
    return (!Writes || Use->writes()) &&
           Tree.alwaysRunsIn(Use->Expression, Element.L->Statement, RunsOnce);
  });
}

bool isReadOnEntry(const StatementTree &Tree, const ElementInLoop &Element) {
  const Stmt *Condition = nullptr;
  if (const auto *For = dyn_cast<ForStmt>(Element.L->Statement))
    Condition = For->getCond();
  else if (const auto *While = dyn_cast<WhileStmt>(Element.L->Statement))
    Condition = While->getCond();
  return Condition && llvm::any_of(Element.Uses, [&](const MemoryAccess *Use) {
           return Tree.contains(Condition, Use->Expression) &&
                  Tree.alwaysRunsIn(Use->Expression, Condition,
                                    [](const Stmt *) { return false; });
         });
}

namespace {

/// \p S, a statement beside the loop, is bound to access the element.
bool accessesIn(const Kernel &K, const StatementTree &Tree, const Stmt *S,
                const MemoryAccess &Element, bool Writes) {
  if (!isa<Expr, DeclStmt>(S))
    return false;
  return llvm::any_of(K.Accesses, [&](const MemoryAccess &Access) {
    return isSameElement(K, Access, Element) && !(Writes && !Access.writes()) &&
           Access.Kind != AccessKind::Atomic &&
           Tree.contains(S, Access.Expression) &&
           Tree.alwaysRunsIn(Access.Expression, S,
                             [](const Stmt *) { return false; });
  });
}

/// Looks through the statements of a block from the loop outwards.
bool findBeside(const Kernel &K, const StatementTree &Tree,
                llvm::ArrayRef<const Stmt *> Statements,
                const MemoryAccess &Element, bool Writes, bool StopAtJumps,
                bool &Blocked) {
  for (const Stmt *S : Statements) {
    if (accessesIn(K, Tree, S, Element, Writes))
      return true;
    if ((Writes && !callsLeaveMemoryAlone(K, S)) ||
        (StopAtJumps && hasJump(S))) {
      Blocked = true;
      return false;
    }
  }
  return false;
}

} // namespace

bool isAccessedNearby(const Kernel &K, const StatementTree &Tree,
                      const ElementInLoop &Element, bool Writes) {
  const MemoryAccess &First = Element.first();
  const Stmt *Own = Tree.withAttributes(Element.L->Statement);
  if (const CompoundStmt *Block = Tree.block(Element.L->Statement)) {
    auto After = llvm::ArrayRef(Block->body_begin(), Block->body_end());
    After = After.drop_while([&](const Stmt *S) { return S != Own; });
    std::vector<const Stmt *> Following(After.begin() + 1, After.end());
    bool Blocked = false;
    if (!mayLeaveFunctionOrJump(Element.L->Statement) &&
        findBeside(K, Tree, Following, First, Writes, true, Blocked))
      return true;
  }
  // Whatever stands before in this block, or before a statement around it, was
  // executed on the way here.
  for (const Stmt *S = Element.L->Statement; S; S = Tree.parent(S)) {
    bool Blocked = false;
    if (findBeside(K, Tree, Tree.before(S), First, Writes, false, Blocked))
      return true;
    if (Blocked || isa<LambdaExpr>(S))
      return false;
    const Stmt *Parent = Tree.parent(S);
    bool IsLoop = isa_and_nonnull<ForStmt, WhileStmt, DoStmt>(Parent);
    if (IsLoop && Writes && !callsLeaveMemoryAlone(K, Parent))
      return false;
  }
  return false;
}

} // namespace cudal1
