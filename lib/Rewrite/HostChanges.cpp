//===- HostChanges.cpp - What may change a host variable ------------------===//

#include "HostChanges.h"

using namespace clang;

namespace cudal1 {

namespace {

/// Looks for uses of a pointer parameter other than `*p`.
class KeepFinder : public RecursiveASTVisitor<KeepFinder> {
public:
  explicit KeepFinder(const ParmVarDecl *P) : P(P) {}
  bool VisitUnaryOperator(UnaryOperator *Op) {
    if (Op->getOpcode() == UO_Deref)
      Plain.insert(Op->getSubExpr()->IgnoreParenImpCasts());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (E->getDecl() == P && !Plain.contains(E))
      Kept = true;
    return true;
  }
  const ParmVarDecl *P;
  llvm::DenseSet<const Expr *> Plain;
  bool Kept = false;
};

} // namespace

bool PassingCalls::keeps(const FunctionDecl &F, unsigned Index) const {
  const FunctionDecl *Definition = nullptr;
  if (!F.hasBody(Definition)) {
    // The C library and the CUDA runtime fill in numbers; a thread would keep.
    return !SM.isInSystemHeader(SM.getExpansionLoc(F.getLocation())) ||
           !F.getIdentifier() || F.getName().contains("thread") ||
           F.getReturnType()->isPointerType();
  }
  if (Index >= Definition->getNumParams())
    return true;
  KeepFinder Finder(Definition->getParamDecl(Index));
  Finder.TraverseStmt(Definition->getBody());
  return Finder.Kept;
}

} // namespace cudal1
