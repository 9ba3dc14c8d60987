//===- RepeatLoop.cpp - Loops that do the same over and over --------------===//

#include "RepeatLoop.h"
#include "CudaCalls.h"
#include "LaunchMemory.h"
#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

namespace {

/// The buffers that the launches of a loop read and write, by the arguments
/// that name them.
struct Touched {
  std::vector<const Expr *> Read;
  std::vector<const Expr *> Written;
  /// A kernel touches memory that is no argument.
  bool Unknown = false;
};

} // namespace

static void addAccesses(const Kernel &K, const Launch &L, Touched &To) {
  for (const MemoryAccess &Access : K.Accesses) {
    if (Access.Space == MemorySpace::Shared ||
        Access.Space == MemorySpace::Local ||
        Access.Space == MemorySpace::Constant)
      continue;
    const auto *P = dyn_cast_or_null<ParmVarDecl>(Access.Base);
    if (!P || P->getFunctionScopeIndex() >= L.Arguments.size()) {
      To.Unknown = true;
      continue;
    }
    const Expr *Argument = L.Arguments[P->getFunctionScopeIndex()];
    if (Access.reads())
      To.Read.push_back(Argument);
    if (Access.writes())
      To.Written.push_back(Argument);
  }
}

VariableSet hostVariablesChangedIn(const Stmt *S) {
  VariableSet Changed = variablesChangedIn(S), Result;
  for (const VarDecl *V : Changed) {
    unsigned InShapes = 0;
    findIn(S, [&](const Stmt *Child) {
      if (const auto *Launch = dyn_cast<CUDAKernelCallExpr>(Child))
        for (const Expr *Argument : Launch->getConfig()->arguments())
          if (const auto *Copy =
                  dyn_cast<CXXConstructExpr>(Argument->IgnoreParenImpCasts());
              Copy && Copy->getConstructor()->isCopyOrMoveConstructor())
            InShapes += mentionsIn(Copy, V);
      return false;
    });
    if (!V->getType()->isRecordType() || mentionsIn(S, V) != InShapes ||
        findIn(S, [&](const Stmt *Child) {
          const auto *Declares = dyn_cast<DeclStmt>(Child);
          return Declares && llvm::is_contained(Declares->decls(), V);
        }))
      Result.insert(V);
  }
  return Result;
}

/// A copy in \p Loop that brings other data each time: its arguments change, or
/// what it copies from is mentioned elsewhere in the loop.
static bool bringsOtherData(const Stmt *Loop, const VariableSet &Changed,
                            const ASTContext &Context) {
  return findIn(Loop, [&](const Stmt *S) {
    const auto *C = dyn_cast<CallExpr>(S);
    if (!C || classifyCudaCall(C, Context) != CudaCall::CopyToDevice)
      return false;
    for (const Expr *Argument : C->arguments())
      for (const VarDecl *V : variablesReadIn(Argument))
        if (Changed.contains(V))
          return true;
    return llvm::any_of(variablesReadIn(C->getArg(1)), [&](const VarDecl *V) {
      return mentionsIn(Loop, V) > mentionsIn(C, V);
    });
  });
}

bool isRepeatLoop(const Stmt *Loop, const ProgramAnalysis &A) {
  VariableSet Changed = hostVariablesChangedIn(Loop);
  auto IsInvariant = [&](const Expr *E) {
    return !E || llvm::none_of(variablesReadIn(E), [&](const VarDecl *V) {
      return Changed.contains(V);
    });
  };
  Touched To;
  bool Any = false;
  for (const std::unique_ptr<Launch> &L : A.launches()) {
    if (!findIn(Loop, [&](const Stmt *S) { return S == L->Call; }))
      continue;
    const Kernel *K = kernelOf(*L, A);
    if (!K || !IsInvariant(L->Grid) || !IsInvariant(L->Block) ||
        !llvm::all_of(L->Arguments, IsInvariant))
      return false;
    addAccesses(*K, *L, To);
    Any = true;
  }
  const ASTContext &Context = A.program().context(Side::Host);
  if (!Any || To.Unknown || bringsOtherData(Loop, Changed, Context))
    return false;
  return llvm::none_of(To.Written, [&](const Expr *Written) {
    return llvm::any_of(To.Read, [&](const Expr *Read) {
      return sameExpression(stripPointer(Written), stripPointer(Read), Context);
    });
  });
}

} // namespace cudal1
