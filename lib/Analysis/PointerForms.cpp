//===- PointerForms.cpp - From addresses to base and index ----------------===//

#include "cudal1/Analysis/IndexForms.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace cudal1 {

/// Chains of pointer definitions longer than this are not followed.
constexpr unsigned MaxPointerDepth = 32;

static MemorySpace spaceOf(const ValueDecl *D) {
  if (D->hasAttr<CUDASharedAttr>())
    return MemorySpace::Shared;
  if (D->hasAttr<CUDAConstantAttr>())
    return MemorySpace::Constant;
  if (D->hasAttr<CUDADeviceAttr>() || D->hasAttr<HIPManagedAttr>())
    return MemorySpace::Global;
  const auto *V = dyn_cast<VarDecl>(D);
  return V && V->isLocalVarDeclOrParm() ? MemorySpace::Local
                                        : MemorySpace::Unknown;
}

/// A field names one pointer only where one parameter has such fields.
static bool isOnlyParameterOfItsType(const ValueDecl *D, const Kernel &K) {
  unsigned Count = 0;
  for (const KernelParameter &P : K.Parameters)
    Count += P.Decl->getType().getCanonicalType().getUnqualifiedType() ==
             D->getType().getCanonicalType().getUnqualifiedType();
  return Count == 1;
}

ResolvedPointer IndexForms::pointerOf(const Expr *E) {
  E = E->IgnoreParens();
  ResolvedPointer Unknown;
  if (!E->getType()->isDependentType() && E->getType()->isPointerType())
    Unknown.Element = scalarOf(E->getType()->getPointeeType());
  if (Depth > MaxPointerDepth)
    return Unknown;
  ++Depth;
  ResolvedPointer Result = [&]() -> ResolvedPointer {
    if (const auto *Cast = dyn_cast<CastExpr>(E))
      return castPointer(Cast);
    if (E->getType()->isArrayType())
      return addressOf(E);
    if (const auto *Ref = dyn_cast<DeclRefExpr>(E))
      return variablePointer(Ref->getDecl());
    if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      // A pointer in a struct that was passed by value.
      const Expr *Object = Member->getBase()->IgnoreParenImpCasts();
      const auto *Ref = dyn_cast<DeclRefExpr>(Object);
      if (!Member->isArrow() && Ref && isa<ParmVarDecl>(Ref->getDecl()) &&
          !Changes.isAssigned(Ref->getDecl()) &&
          isOnlyParameterOfItsType(Ref->getDecl(), K) &&
          E->getType()->isPointerType()) {
        ResolvedPointer P = Unknown;
        P.Base = Member->getMemberDecl();
        P.Space = MemorySpace::Global;
        return P;
      }
      return Unknown;
    }
    if (const auto *Op = dyn_cast<UnaryOperator>(E);
        Op && Op->getOpcode() == UO_AddrOf)
      return addressOf(Op->getSubExpr());
    if (const auto *Op = dyn_cast<BinaryOperator>(E);
        Op && Op->isAdditiveOp() && E->getType()->isPointerType()) {
      const Expr *Pointer = Op->getLHS(), *Offset = Op->getRHS();
      if (!Pointer->getType()->isPointerType())
        std::swap(Pointer, Offset);
      ResolvedPointer P = pointerOf(Pointer);
      auto Count =
          scalarCount(Pointer->getType()->getPointeeType(), *K.Context);
      if (!P.Base || !Count)
        return Unknown;
      Polynomial Step = valueOf(Offset) * Polynomial(*Count);
      P.Index = Op->getOpcode() == BO_Add ? P.Index + Step : P.Index - Step;
      return P;
    }
    return Unknown;
  }();
  --Depth;
  return Result;
}

ResolvedPointer IndexForms::castPointer(const CastExpr *Cast) {
  const Expr *Inner = Cast->getSubExpr();
  ResolvedPointer Unknown;
  if (Cast->getType()->isPointerType())
    Unknown.Element = scalarOf(Cast->getType()->getPointeeType());
  switch (Cast->getCastKind()) {
  case CK_ArrayToPointerDecay:
    return addressOf(Inner);
  case CK_LValueToRValue:
  case CK_NoOp:
    return pointerOf(Inner);
  case CK_BitCast:
  case CK_AddressSpaceConversion: {
    ResolvedPointer P = pointerOf(Inner);
    if (!P.Base || P.Element.isNull() || Unknown.Element.isNull() ||
        P.Element->isDependentType() || Unknown.Element->isDependentType() ||
        P.Element->isIncompleteType() || Unknown.Element->isIncompleteType())
      return P.Base ? ResolvedPointer{P.Base, P.Space,
                                      opaque(Cast, SymbolKind::Opaque),
                                      Unknown.Element}
                    : Unknown;
    // Index counts in the new element type where that is a whole number.
    int64_t From = K.Context->getTypeSizeInChars(P.Element).getQuantity();
    int64_t To = K.Context->getTypeSizeInChars(Unknown.Element).getQuantity();
    if (From != To) {
      auto Scaled = (P.Index * Polynomial(From)).dividedBy(To);
      P.Index = Scaled ? *Scaled : opaque(Cast, SymbolKind::Opaque);
    }
    P.Element = Unknown.Element;
    return P;
  }
  default:
    return Unknown;
  }
}

ResolvedPointer IndexForms::variablePointer(const ValueDecl *V) {
  ResolvedPointer Result;
  QualType Type = V->getType().getNonReferenceType();
  if (!Type->isPointerType())
    return Result;
  Result.Element = scalarOf(Type->getPointeeType());
  const auto *Variable = dyn_cast<VarDecl>(V);
  if (!Variable || !Variable->isLocalVarDeclOrParm() ||
      V->getType()->isReferenceType())
    return Result;
  bool Changed = Changes.isAssigned(V);
  bool IsParameter = isa<ParmVarDecl>(Variable);
  if (!Changed) {
    if (IsParameter) {
      Result.Base = V;
      Result.Space = MemorySpace::Global;
      return Result;
    }
    if (!Variable->getInit())
      return Result;
    Result = pointerOf(Variable->getInit());
    if (Result.Base && !isSetInItsLoops(Variable, Result.Index))
      Result.Index = Polynomial::symbol(
          K.Symbols.variable(SymbolKind::Constant, Variable));
    return Result;
  }
  // Assigned: the base is known where every value that it takes has one base
  // (`p += stride` keeps it); the index is whatever it is then.
  std::optional<const ValueDecl *> Common;
  auto Meet = [&](const ResolvedPointer &P) {
    if (!Common)
      Common = P.Base;
    else if (*Common != P.Base)
      Common = nullptr;
    if (P.Base)
      Result.Space = P.Space;
  };
  if (IsParameter) {
    Common = V;
    Result.Space = MemorySpace::Global;
  } else if (Variable->getInit()) {
    Meet(pointerOf(Variable->getInit()));
  }
  for (const Assignments::Change &C : Changes.changesOf(V)) {
    if (C.Escapes)
      return ResolvedPointer{nullptr, MemorySpace::Unknown, {}, Result.Element};
    if (!C.Value)
      continue; // p += n, ++p
    // `p = p + n` refers to itself; do not run in circles.
    if (const auto *Op =
            dyn_cast<BinaryOperator>(C.Value->IgnoreParenImpCasts());
        Op && Op->isAdditiveOp()) {
      const auto *Ref =
          dyn_cast<DeclRefExpr>(Op->getLHS()->IgnoreParenImpCasts());
      if (Ref && Ref->getDecl() == V)
        continue;
    }
    Meet(pointerOf(C.Value));
  }
  if (!Common || !*Common)
    return ResolvedPointer{nullptr, MemorySpace::Unknown, {}, Result.Element};
  Result.Base = *Common;
  Result.Index =
      Polynomial::symbol(K.Symbols.variable(SymbolKind::Variable, Variable));
  return Result;
}

ResolvedPointer IndexForms::addressOf(const Expr *LValue) {
  LValue = LValue->IgnoreParens();
  ResolvedPointer Unknown;
  if (!LValue->getType()->isDependentType())
    Unknown.Element = scalarOf(LValue->getType());
  if (const auto *Cast = dyn_cast<ImplicitCastExpr>(LValue);
      Cast && Cast->getCastKind() == CK_NoOp)
    return addressOf(Cast->getSubExpr());
  if (const auto *Ref = dyn_cast<DeclRefExpr>(LValue)) {
    if (Ref->getDecl()->getType()->isReferenceType())
      return Unknown;
    ResolvedPointer P = Unknown;
    P.Base = Ref->getDecl();
    P.Space = spaceOf(P.Base);
    return P;
  }
  if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(LValue)) {
    ResolvedPointer P = pointerOf(Subscript->getBase());
    auto Count = LValue->getType()->isDependentType()
                     ? std::nullopt
                     : scalarCount(LValue->getType(), *K.Context);
    if (!P.Base)
      return Unknown;
    Polynomial Index = valueOf(Subscript->getIdx());
    P.Index = P.Index + (Count ? Index * Polynomial(*Count)
                               : opaque(LValue, SymbolKind::Opaque));
    return P;
  }
  if (const auto *Op = dyn_cast<UnaryOperator>(LValue);
      Op && Op->getOpcode() == UO_Deref)
    return pointerOf(Op->getSubExpr());
  if (const auto *Member = dyn_cast<MemberExpr>(LValue)) {
    // A member of an element: the element's address. The element counts.
    if (Member->isArrow())
      return pointerOf(Member->getBase());
    return addressOf(Member->getBase());
  }
  return Unknown;
}

} // namespace cudal1
