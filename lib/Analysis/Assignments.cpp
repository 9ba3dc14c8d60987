//===- Assignments.cpp - Where variables of a function change -------------===//

#include "cudal1/Analysis/Assignments.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace cudal1 {

/// Whether a cast names the object that it is applied to.
static bool keepsObject(const CastExpr &Cast) {
  switch (Cast.getCastKind()) {
  case CK_NoOp:
  case CK_LValueBitCast:
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
    return true;
  default:
    return false;
  }
}

/// The variables that an lvalue may be or be a part of: `v`, `v.x`, `v[2]` for
/// an array (not for a pointer: `p[2]` does not change p), both of `c ? v : w`.
static void addVariablesOf(const Expr *E,
                           SmallVectorImpl<const ValueDecl *> &Out) {
  E = E->IgnoreParens();
  if (const auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    Out.push_back(Ref->getDecl());
  } else if (const auto *Member = dyn_cast<MemberExpr>(E)) {
    if (!Member->isArrow())
      addVariablesOf(Member->getBase(), Out);
  } else if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
    const auto *Decay =
        dyn_cast<ImplicitCastExpr>(Subscript->getBase()->IgnoreParens());
    if (Decay && Decay->getCastKind() == CK_ArrayToPointerDecay)
      addVariablesOf(Decay->getSubExpr(), Out);
  } else if (const auto *Cast = dyn_cast<CastExpr>(E)) {
    if (keepsObject(*Cast))
      addVariablesOf(Cast->getSubExpr(), Out);
  } else if (const auto *Choice = dyn_cast<AbstractConditionalOperator>(E)) {
    addVariablesOf(Choice->getTrueExpr(), Out);
    addVariablesOf(Choice->getFalseExpr(), Out);
  } else if (const auto *Op = dyn_cast<BinaryOperator>(E)) {
    if (Op->getOpcode() == BO_Comma)
      addVariablesOf(Op->getRHS(), Out);
    else if (Op->isAssignmentOp())
      addVariablesOf(Op->getLHS(), Out);
  } else if (const auto *Op = dyn_cast<UnaryOperator>(E)) {
    if (Op->isIncrementDecrementOp())
      addVariablesOf(Op->getSubExpr(), Out);
  }
}

namespace {

class AssignmentVisitor : public RecursiveASTVisitor<AssignmentVisitor> {
public:
  explicit AssignmentVisitor(Assignments &Out) : Out(Out) {}

  bool shouldVisitImplicitCode() const { return true; }

  bool VisitBinaryOperator(BinaryOperator *Op) {
    if (Op->isAssignmentOp())
      change(Op->getLHS(), Op,
             Op->getOpcode() == BO_Assign ? Op->getRHS() : nullptr, false);
    return true;
  }

  bool VisitUnaryOperator(UnaryOperator *Op) {
    if (Op->isIncrementDecrementOp())
      change(Op->getSubExpr(), Op, nullptr, false);
    else if (Op->getOpcode() == UO_AddrOf)
      change(Op->getSubExpr(), Op, nullptr, true);
    return true;
  }

  // An argument bound to a reference that is not to const.
  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee();
    // The object of a member operator is its first argument, yet no parameter.
    unsigned Skip =
        isa<CXXOperatorCallExpr>(Call) && isa_and_nonnull<CXXMethodDecl>(Callee)
            ? 1
            : 0;
    if (Skip) {
      const auto *Method = cast<CXXMethodDecl>(Callee);
      if (Method->isInstance() && !Method->isConst())
        change(Call->getArg(0), Call,
               Method->isCopyAssignmentOperator() ||
                       Method->isMoveAssignmentOperator()
                   ? Call->getArg(1)
                   : nullptr,
               false);
    }
    for (unsigned I = Skip; I < Call->getNumArgs(); ++I) {
      const Expr *Arg = Call->getArg(I);
      if (!Arg->isLValue())
        continue;
      if (Callee && I - Skip < Callee->getNumParams()) {
        QualType Type = Callee->getParamDecl(I - Skip)->getType();
        if (!Type->isReferenceType() ||
            Type.getNonReferenceType().isConstQualified())
          continue;
      }
      change(Arg, Call, nullptr, true);
    }
    return true;
  }

  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *Call) {
    const CXXMethodDecl *Method = Call->getMethodDecl();
    if (Method && Method->isInstance() && !Method->isConst())
      change(Call->getImplicitObjectArgument(), Call, nullptr, false);
    return true;
  }

  bool VisitCXXConstructExpr(CXXConstructExpr *Construct) {
    const CXXConstructorDecl *Constructor = Construct->getConstructor();
    for (unsigned I = 0; I < Construct->getNumArgs(); ++I) {
      if (I >= Constructor->getNumParams())
        break;
      QualType Type = Constructor->getParamDecl(I)->getType();
      if (Type->isReferenceType() &&
          !Type.getNonReferenceType().isConstQualified())
        change(Construct->getArg(I), Construct, nullptr, true);
    }
    return true;
  }

  bool VisitVarDecl(VarDecl *V) {
    if (V->getType()->isReferenceType() && V->getInit())
      change(V->getInit(), V->getInit(), nullptr, true);
    return true;
  }

  bool VisitLambdaExpr(LambdaExpr *Lambda) {
    for (const LambdaCapture &Capture : Lambda->captures())
      if (Capture.capturesVariable() && Capture.getCaptureKind() == LCK_ByRef)
        Out.record(Capture.getCapturedVar(), {Lambda, nullptr, true});
    return true;
  }

  bool VisitGCCAsmStmt(GCCAsmStmt *Asm) {
    for (unsigned I = 0; I < Asm->getNumOutputs(); ++I)
      change(Asm->getOutputExpr(I), Asm->getOutputExpr(I), nullptr, false);
    return true;
  }

private:
  void change(const Expr *LValue, const Expr *Where, const Expr *Value,
              bool Escapes) {
    SmallVector<const ValueDecl *, 2> Named;
    addVariablesOf(LValue, Named);
    // A part of the variable is assigned: its whole value is not known.
    if (!isa<DeclRefExpr>(LValue->IgnoreParenImpCasts()))
      Value = nullptr;
    for (const ValueDecl *V : Named)
      Out.record(V, {Where, Value, Escapes});
  }

  Assignments &Out;
};

} // namespace

void Assignments::record(const ValueDecl *V, Change C) {
  auto &List = Changes[V];
  if (List.empty())
    Order.push_back(V);
  List.push_back(C);
}

bool Assignments::mentions(const Stmt *Body, const ValueDecl *V) {
  if (const auto *Ref = dyn_cast_or_null<DeclRefExpr>(Body))
    return Ref->getDecl() == V;
  return Body && llvm::any_of(Body->children(), [&](const Stmt *Part) {
           return mentions(Part, V);
         });
}

Assignments Assignments::of(const Stmt *Body) {
  Assignments Result;
  AssignmentVisitor(Result).TraverseStmt(const_cast<Stmt *>(Body));
  return Result;
}

} // namespace cudal1
