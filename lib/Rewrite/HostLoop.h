//===- HostLoop.h - Counted loops of the host -------------------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_HOSTLOOP_H
#define CUDAL1_LIB_REWRITE_HOSTLOOP_H

#include "CudaCalls.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "clang/AST/Stmt.h"
#include <optional>
#include <string>

namespace cudal1 {

/// `for (int i = First; i < Bound; i++) { ... }`
struct HostLoop {
  const clang::ForStmt *Statement = nullptr;
  const clang::CompoundStmt *Body = nullptr;
  const clang::VarDecl *Counter = nullptr;
  /// A constant expression of the counter's type.
  const clang::Expr *First = nullptr;
  /// Does not change in the loop and calls nothing.
  const clang::Expr *Bound = nullptr;
  /// `<=` rather than `<`.
  bool Inclusive = false;
  /// Proved to run at least once.
  bool RunsOnce = false;

  /// `n > 0`: true when the loop runs at least once; "" when a macro is in the
  /// way.
  std::string runsCondition(const clang::ASTContext &Context) const;
};

/// What \p Loop is as a HostLoop: nothing unless its counter is a local integer
/// that only the header changes, one up at a time, and its body stands between
/// braces and is left by its end alone (but after a failed call).
std::optional<HostLoop> readHostLoop(const clang::ForStmt *Loop,
                                     const CheckedCalls &Calls,
                                     clang::ASTContext &Context);

/// Arithmetic on what \p Changed does not hold: without calls, divisions and
/// memory accesses, so that it has one value wherever it stands and cannot
/// fail. `v.size()` and `v.data()` of vectors that are not in \p Changed count.
bool isFixedValue(const clang::Expr *E, const VariableSet &Changed,
                  const clang::ASTContext &Context);

/// Something other than a mention of \p V in \p F may change it: its address or
/// a reference to it is kept.
bool isReachedOtherwise(const clang::VarDecl *V, const clang::FunctionDecl &F,
                        const clang::ASTContext &Context);

/// The statement \p S as lines of their own elsewhere: with its semicolon, and
/// without the indentation that it stands at; "" when a macro makes it.
std::string movedText(const clang::Stmt *S, const clang::ASTContext &Context);
/// \p Lines one level further in, under `if (Condition)`; as they are when
/// there is no condition.
std::string guardedLines(llvm::StringRef Condition, llvm::StringRef Lines,
                         llvm::StringRef Unit);

/// Every `for` in \p S, outer ones first; not in lambdas.
void collectForLoops(const clang::Stmt *S,
                     std::vector<const clang::ForStmt *> &Out);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_HOSTLOOP_H
