//===- HostChanges.cpp - What may change a host variable ------------------===//

#include "HostChanges.h"

#include "cudal1/Rewrite/StatementTree.h"

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

bool isMadeAnew(SourceLocation From, const Launch &L, const Expr *Change,
                const SourceManager &SM) {
  auto Holds = [&](const Stmt *S, SourceLocation At) {
    return !SM.isBeforeInTranslationUnit(
               At, SM.getExpansionLoc(S->getBeginLoc())) &&
           !SM.isBeforeInTranslationUnit(SM.getExpansionLoc(S->getEndLoc()),
                                         At);
  };
  SourceLocation Launched = SM.getExpansionLoc(L.Call->getEndLoc());
  if (!SM.isBeforeInTranslationUnit(Launched,
                                    SM.getExpansionLoc(Change->getBeginLoc())))
    return false;
  return !findIn(L.HostFunction->getBody(), [&](const Stmt *S) {
    if (isa<LabelStmt, SwitchCase, LambdaExpr>(S))
      return true;
    if (const auto *For = dyn_cast<ForStmt>(S))
      return Holds(S, Launched) && !Holds(For->getBody(), From);
    return isa<WhileStmt, DoStmt, CXXForRangeStmt>(S) && Holds(S, Launched) &&
           !Holds(S, From);
  });
}

} // namespace cudal1
