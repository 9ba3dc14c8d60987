//===- HostChanges.h - What may change a host variable ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_HOSTCHANGES_H
#define CUDAL1_LIB_REWRITE_HOSTCHANGES_H

#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Analysis/Launch.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"

namespace cudal1 {

/// Calls that are given the address of a variable, or a reference to it, and
/// do not keep it.
class PassingCalls : public clang::RecursiveASTVisitor<PassingCalls> {
public:
  PassingCalls(const clang::VarDecl *V, const clang::SourceManager &SM)
      : V(V), SM(SM) {}

  bool VisitCallExpr(clang::CallExpr *Call) {
    for (unsigned I = 0; const clang::Expr *Argument = argumentOf(Call, I);
         ++I) {
      const clang::Expr *E = Argument->IgnoreParenCasts();
      const auto *Address = llvm::dyn_cast<clang::UnaryOperator>(E);
      if (Address && Address->getOpcode() == clang::UO_AddrOf)
        E = Address->getSubExpr()->IgnoreParenCasts();
      const auto *Ref = llvm::dyn_cast<clang::DeclRefExpr>(E);
      if (!Ref || Ref->getDecl() != V || !Address)
        continue;
      if (const clang::FunctionDecl *F = Call->getDirectCallee())
        if (!keeps(*F, I))
          Harmless.insert(Address);
    }
    return true;
  }

  llvm::DenseSet<const clang::Expr *> Harmless;

private:
  bool keeps(const clang::FunctionDecl &F, unsigned Index) const;

  const clang::VarDecl *V;
  const clang::SourceManager &SM;
};

/// What may change a member of the object whose member function this is.
class FieldChanges : public clang::RecursiveASTVisitor<FieldChanges> {
public:
  FieldChanges(const clang::ValueDecl *Field, clang::SourceLocation From,
               const clang::SourceManager &SM)
      : Field(Field), From(From), SM(SM) {}

  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *Cast) {
    if (Cast->getCastKind() == clang::CK_LValueToRValue)
      Read.insert(Cast->getSubExpr()->IgnoreParens());
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr *E) {
    Any |= E->getMemberDecl() == Field && !Read.contains(E);
    return true;
  }
  /// A function of the project's own may be another member.
  bool VisitCallExpr(clang::CallExpr *Call) {
    const clang::FunctionDecl *F = Call->getDirectCallee();
    clang::SourceLocation At = SM.getExpansionLoc(Call->getBeginLoc());
    Any |= !llvm::isa<clang::CUDAKernelCallExpr>(Call) &&
           SM.isBeforeInTranslationUnit(From, At) &&
           !(F && SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation())));
    return true;
  }

  bool Any = false;

private:
  const clang::ValueDecl *Field;
  clang::SourceLocation From;
  const clang::SourceManager &SM;
  /// Mentions that are read; parents are visited first.
  llvm::DenseSet<const clang::Expr *> Read;
};

/// \p Change stands behind the launch \p L, and what its function makes at
/// \p From is made again before L is reached once more: each loop around L
/// holds it, and there are no other ways back.
bool isMadeAnew(clang::SourceLocation From, const Launch &L,
                const clang::Expr *Change, const clang::SourceManager &SM);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_HOSTCHANGES_H
