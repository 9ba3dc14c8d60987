//===- HostPaths.h - What the host does after a statement -------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_HOSTPATHS_H
#define CUDAL1_LIB_REWRITE_HOSTPATHS_H

#include "CudaCalls.h"
#include "clang/Analysis/CFG.h"
#include <memory>
#include <string>

namespace cudal1 {

using CallSet = llvm::SmallPtrSet<const clang::CallExpr *, 8>;
using StmtSet = llvm::DenseSet<const clang::Stmt *>;

/// The paths of one function's execution, as far as no call of the CUDA runtime
/// fails. For units of which whyNotPlain says nothing.
class HostPaths {
public:
  HostPaths(const clang::FunctionDecl &F, clang::ASTContext &Context);

  const CheckedCalls &calls() const { return Calls; }
  /// False when the paths cannot be told (a `goto`, no graph could be made).
  bool isKnown() const { return Graph != nullptr; }

  /// Why something may show that the host does not wait in \p Wait, a checked
  /// call, and in the others of \p Removed, as a clause; "" when on every path
  /// from there the host waits before it can tell. Leaving \p Sunk, when not
  /// null, is a wait: one like \p Wait will stand right behind it.
  std::string whyMissed(const CheckedCall &Wait, const CallSet &Removed,
                        const clang::Stmt *Sunk) const;

private:
  /// What one step of a path does.
  struct Effect {
    enum Kind { Nothing, Waits, AsksForErrors, Shows } K = Nothing;
    bool Checked = false;
    std::string Why;
  };
  struct Position {
    const clang::CFGBlock *Block;
    size_t Element;
    /// An error on the way is expected to be noticed.
    bool NeedsCheck;
  };
  Effect effectOf(const clang::CFGElement &E, const CallSet &Removed) const;
  Effect effectOfCall(const clang::CallExpr *C, const CallSet &Removed) const;
  Effect shows(const clang::Stmt *S, const llvm::Twine &What) const;
  /// Walks \p From's block; true when the path goes on behind it.
  bool walkBlock(Position &From, const CallSet &Removed, const StmtSet *Inside,
                 std::string &Why) const;

  const clang::FunctionDecl &F;
  clang::ASTContext &Context;
  CheckedCalls Calls;
  std::unique_ptr<clang::CFG> Graph;
  llvm::DenseMap<const clang::Stmt *,
                 std::pair<const clang::CFGBlock *, size_t>>
      Places;
};

/// True when calling \p F can neither wait for the GPU nor tell how far it is,
/// nor be seen from outside: arithmetic, the standard library's containers, and
/// functions of the program that do no more than that. Such a call makes no
/// calls of the CUDA runtime either.
bool isQuietFunction(const clang::FunctionDecl *F,
                     const clang::ASTContext &Context, unsigned Depth = 0);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_HOSTPATHS_H
