//===- RowStarts.cpp - Where the loops of a row begin ---------------------===//
//
// `m = x[0]; for (k = 1; ...)` leaves out the element that m has already.
// Shared by threads, such a loop would hand every element to another thread
// than the loops from 0 on do. A maximum may take that element into account
// again.
//
//===----------------------------------------------------------------------===//

#include "RowFinder.h"

#include "cudal1/Rewrite/LoopMemory.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// The value that \p V has when \p For is reached, if the nearest statement
/// before it that sets it shows that.
static const Expr *valueBefore(const StatementTree &Tree, const Stmt *For,
                               const VarDecl *V) {
  for (const Stmt *S : Tree.before(For)) {
    if (const auto *Decls = dyn_cast<DeclStmt>(S))
      if (llvm::is_contained(Decls->decls(), V))
        return V->getInit();
    if (!Assignments::of(S).isAssigned(V))
      continue;
    const auto *Assign = dyn_cast<BinaryOperator>(S);
    const auto *Ref =
        Assign && Assign->getOpcode() == BO_Assign
            ? dyn_cast<DeclRefExpr>(Assign->getLHS()->IgnoreParens())
            : nullptr;
    return Ref && Ref->getDecl() == V ? Assign->getRHS() : nullptr;
  }
  return nullptr;
}

/// All that the body does is to combine \p V with values of \p Loads.
static bool combinesAlone(const Stmt *Body, const VarDecl *V,
                          llvm::ArrayRef<const MemoryAccess *> Loads) {
  std::function<bool(const Stmt *)> IsPlain = [&](const Stmt *S) {
    if (llvm::any_of(Loads, [&](const MemoryAccess *Load) {
          return Load->Expression == S;
        }))
      return true;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(S))
      return Ref->getDecl() == V || isa<FunctionDecl>(Ref->getDecl());
    if (const auto *Binary = dyn_cast<BinaryOperator>(S)) {
      if (Binary->getOpcode() != BO_Assign && !Binary->isRelationalOp())
        return false;
    } else if (const auto *Call = dyn_cast<CallExpr>(S)) {
      // Of the two that it combines one is V.
      if (Call->getNumArgs() != 2 ||
          llvm::none_of(Call->arguments(), [&](const Expr *Argument) {
            const auto *Ref =
                dyn_cast<DeclRefExpr>(Argument->IgnoreParenImpCasts());
            return Ref && Ref->getDecl() == V;
          }))
        return false;
    } else if (!isa<CompoundStmt, IfStmt, ParenExpr, ImplicitCastExpr,
                    ConditionalOperator>(S)) {
      return false;
    }
    return llvm::all_of(S->children(), [&](const Stmt *Child) {
      return !Child || IsPlain(Child);
    });
  };
  return IsPlain(Body);
}

/// \p Row begins at element 1, only looks for the least or the greatest
/// element, and element 0 is what it begins with.
bool RowFinder::mayBeginAtZero(const RowLoop &Row) const {
  if (Row.L->Lower != Polynomial(1) || Row.Reductions.size() != 1 ||
      !Row.Reductions.front().Variable ||
      !Row.Reductions.front().isIdempotent())
    return false;
  const VarDecl *V = Row.Reductions.front().Variable;
  const Expr *Value = valueBefore(Tree, Row.For, V);
  const MemoryAccess *First = nullptr;
  std::vector<const MemoryAccess *> Loads;
  for (const MemoryAccess &Access : K.Accesses) {
    if (Value && Access.Expression == Value->IgnoreParenImpCasts())
      First = &Access;
    if (Tree.contains(Row.For, Access.Expression))
      Loads.push_back(&Access);
  }
  const KernelParameter *P = First ? K.parameter(First->Base) : nullptr;
  return P && !P->Use.Written && First->Kind == AccessKind::Read &&
         isWholeElement(K, *First) && First->Member.empty() && !Loads.empty() &&
         llvm::all_of(
             Loads,
             [&](const MemoryAccess *Load) {
               return Load->Kind == AccessKind::Read &&
                      Load->Base == First->Base && Load->Member.empty() &&
                      isWholeElement(K, *Load) && K.isStable(Load->Index) &&
                      Load->Index.substitute(Row.L->VariableSymbol,
                                             Polynomial(0)) == First->Index;
             }) &&
         K.isStable(First->Index) &&
         combinesAlone(Row.For->getBody(), V, Loads);
}

void RowFinder::alignStarts() {
  if (llvm::none_of(R.Loops,
                    [](const RowLoop &Row) { return Row.L->Lower.isZero(); }))
    return;
  for (RowLoop &Row : R.Loops)
    Row.FromZero = mayBeginAtZero(Row);
}

} // namespace cudal1
