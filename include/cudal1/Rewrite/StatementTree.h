//===- StatementTree.h - Where statements of a kernel stand -----*- C++ -*-===//
//
// Questions of structure that several rules ask: what encloses a statement,
// what precedes it in its block, and whether it is bound to be executed.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_REWRITE_STATEMENTTREE_H
#define CUDAL1_REWRITE_STATEMENTTREE_H

#include "cudal1/Analysis/Kernel.h"
#include "clang/AST/ParentMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

namespace cudal1 {

/// Set of variables.
using VariableSet = llvm::SmallPtrSet<const clang::VarDecl *, 8>;

class StatementTree {
public:
  /// The tree of the body of \p K, which must outlive it.
  explicit StatementTree(const Kernel &K);

  const clang::Stmt *body() const { return Body; }
  const clang::Stmt *parent(const clang::Stmt *S) const {
    return Parents.getParent(S);
  }
  /// The parent, looking through parentheses and value-preserving wrappers
  /// (ExprWithCleanups, ConstantExpr), but not through casts.
  const clang::Stmt *parentOfValue(const clang::Stmt *S) const;
  bool contains(const clang::Stmt *Outer, const clang::Stmt *Inner) const;

  /// The statement to which lines may be added: \p S itself, or the
  /// AttributedStmt (`#pragma unroll`) around it.
  const clang::Stmt *withAttributes(const clang::Stmt *S) const;
  /// The block of which \p S (or the AttributedStmt around it) is a direct
  /// child; null when it is the sole child of a loop, an if or a label.
  const clang::CompoundStmt *block(const clang::Stmt *S) const;
  /// The statements before \p S in its block, nearest first, all of them
  /// executed before it; empty when it stands in none, or in a switch.
  std::vector<const clang::Stmt *> before(const clang::Stmt *S) const;

  /// True when no jump leads past a declaration put before \p S: no case of a
  /// switch and no label of a goto.
  bool canDeclareBefore(const clang::Stmt *S) const;

  /// True when each execution of \p Scope that enters its body executes \p S
  /// at least once. \p Scope is a loop; \p RunsOnce tells which of the loops
  /// inside run at least once each time.
  bool
  alwaysRunsIn(const clang::Stmt *S, const clang::Stmt *Scope,
               llvm::function_ref<bool(const clang::Stmt *)> RunsOnce) const;

private:
  bool isBuriedCase(const clang::Stmt *S) const;
  const clang::Stmt *Body;
  clang::ParentMap Parents;
};

/// Variables that \p S may change: assigned, incremented, bound to a reference,
/// with their address taken, or declared inside.
VariableSet variablesChangedIn(const clang::Stmt *S);

/// Variables that the value of \p S depends on.
VariableSet variablesReadIn(const clang::Stmt *S);

/// break, continue, return, goto or a label anywhere inside.
bool hasJump(const clang::Stmt *S);
/// return, goto, asm goto, indirect goto or a label anywhere inside.
bool mayLeaveFunctionOrJump(const clang::Stmt *S);

/// The first descendant (S included, lambdas' bodies too) for which
/// \p Predicate holds, or null.
const clang::Stmt *
findIn(const clang::Stmt *S,
       llvm::function_ref<bool(const clang::Stmt *)> Predicate);

/// How often \p S (lambdas' bodies included) names \p V.
unsigned mentionsIn(const clang::Stmt *S, const clang::ValueDecl *V);

/// True when the text from the begin of \p From to the end of \p To holds a
/// preprocessor directive other than `#pragma`: a change there could be right
/// for one configuration of the program and wrong for another.
bool spansDirective(const clang::ASTContext &Context, clang::SourceRange Range);

} // namespace cudal1

#endif // CUDAL1_REWRITE_STATEMENTTREE_H
