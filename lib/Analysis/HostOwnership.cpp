//===- HostOwnership.cpp - Slots that own their buffers -------------------===//
//
// A slot owns its buffer when every write to it is fresh memory, null, a buffer
// moved out of another owning slot, or an exchange with owning slots. By
// induction over the writes, no two owning slots ever hold one live buffer.
//
//===----------------------------------------------------------------------===//

#include "HostQuery.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// The slots whose buffers may wander to \p Key by exchanges and moves.
std::vector<SlotKey> HostPointers::Query::exchangeClass(SlotKey Key) const {
  std::vector<SlotKey> Class{Key};
  for (size_t I = 0; I < Class.size(); ++I)
    for (const SlotWrite &W : Index.writesOf(Class[I])) {
      std::vector<SlotKey> Partners;
      if (W.K == SlotWrite::Exchange)
        Partners = W.Partners;
      else if (W.Moved)
        if (std::optional<Slot> From = Index.slotOf(stripPointer(W.E)))
          Partners.push_back(From->Key);
      for (SlotKey Partner : Partners)
        if (!llvm::is_contained(Class, Partner))
          Class.push_back(Partner);
    }
  return Class;
}

/// Objects that hold the field are all seen, and are not copied unless only
/// fields of one object are compared (\p SameObject).
bool HostPointers::Query::fieldIsOwned(const FieldDecl *F,
                                       bool SameObject) const {
  if (Index.unseenObjects(F->getParent()))
    return false;
  return SameObject || !Index.copyOf(F->getParent());
}

bool HostPointers::Query::owns(SlotKey Key, bool SameObject, bool MayHandOut) {
  std::pair<void *, bool> Guard{Key.getOpaqueValue(), MayHandOut};
  if (!Owning.insert(Guard).second)
    return false;
  bool Result = true;
  for (SlotKey Member : exchangeClass(Key)) {
    const ValueDecl *D = Member.getPointer();
    if (Member.getInt() || isa<ParmVarDecl>(D) ||
        D->getType()->isReferenceType() ||
        Index.storedThroughParameter(D) > (MayHandOut ? 1 : 0))
      Result = false;
    if (const auto *Field = dyn_cast<FieldDecl>(D))
      Result = Result && fieldIsOwned(Field, SameObject);
    else if (const auto *V = dyn_cast<VarDecl>(D))
      Result = Result && !Index.unseenWriters(V);
    for (const SlotWrite &W : Index.writesOf(Member)) {
      if (!Result)
        break;
      if (W.K == SlotWrite::Exchange)
        Result = !SameObject || W.SameObject;
      else if (W.Moved)
        Result = !SameObject;
      else
        Result = isInert(W) || isFresh(Member, W);
    }
  }
  Owning.erase(Guard);
  return Result;
}

/// Null or memory that nothing else refers to.
bool HostPointers::Query::isFresh(SlotKey Key, const SlotWrite &W) {
  if (W.K == SlotWrite::OutArgument)
    return isFreshArgument(W.E, W.Argument);
  if (W.K != SlotWrite::Value)
    return false;
  if (isFreshValue(W.E, W.In))
    return true;
  // `*out = local`, once: the local gives its buffer away.
  if (!Key.getInt())
    return false;
  std::optional<Slot> From = Index.slotOf(stripPointer(W.E));
  const auto *V = From ? dyn_cast<VarDecl>(From->Key.getPointer()) : nullptr;
  if (!V || !V->hasLocalStorage() || V->getType()->isArrayType() || !W.In ||
      V->getParentFunctionOrMethod() != W.In)
    return false;
  for (const Expr *Returned :
       Index.returnsOf(W.In).value_or(llvm::ArrayRef<const Expr *>()))
    if (std::optional<Slot> Other = Index.slotOf(stripPointer(Returned)))
      if (Other->Key == From->Key)
        return false;
  return owns(From->Key, false, /*MayHandOut=*/true);
}

bool HostPointers::Query::isFreshValue(const Expr *E, const FunctionDecl *In) {
  if (isNullPointer(E, Index.context()))
    return true;
  E = stripPointer(E);
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E))
    return isFreshValue(Choice->getTrueExpr(), In) &&
           isFreshValue(Choice->getFalseExpr(), In);
  if (const auto *New = dyn_cast<CXXNewExpr>(E))
    return New->getNumPlacementArgs() == 0 && New->getOperatorNew() &&
           New->getOperatorNew()->isReplaceableGlobalAllocationFunction();
  const auto *Call = dyn_cast<CallExpr>(E);
  const FunctionDecl *F = Call ? calleeOf(Call) : nullptr;
  if (!F)
    return false;
  if (returnsAllocation(*F))
    return true;
  auto Values = Index.returnsOf(F);
  if (!Values || Values->empty() || !F->getReturnType()->isPointerType())
    return false;
  F = F->getDefinition();
  if (!Returning.insert(F).second)
    return false;
  // A local that is returned is gone once its value arrives.
  bool Result = llvm::all_of(*Values, [&](const Expr *Value) {
    if (isFreshValue(Value, F))
      return true;
    std::optional<Slot> S = Index.slotOf(stripPointer(Value));
    const auto *V = S ? dyn_cast<VarDecl>(S->Key.getPointer()) : nullptr;
    return V && V->hasLocalStorage() && !V->getType()->isArrayType() &&
           V->getParentFunctionOrMethod() == F && owns(S->Key, false);
  });
  Returning.erase(F);
  return Result;
}

bool HostPointers::Query::isFreshArgument(const Expr *Call, unsigned Argument) {
  const FunctionDecl *F = calleeOf(Call);
  if (!F)
    return false;
  if (allocatedArgument(*F) == Argument)
    return true;
  if (!Index.isIndexed(F) || Argument >= F->getNumParams())
    return false;
  SlotKey Inner(F->getDefinition()->getParamDecl(Argument), true);
  std::pair<void *, bool> Guard{Inner.getOpaqueValue(), true};
  if (!Owning.insert(Guard).second)
    return false;
  bool Result = llvm::all_of(Index.writesOf(Inner), [&](const SlotWrite &W) {
    return isFresh(Inner, W);
  });
  Owning.erase(Guard);
  return Result;
}

/// The lambda of \p In, or one around it, works on its own copy of a variable.
bool HostPointers::Query::isSnapshot(const Slot &S,
                                     const HostContext &In) const {
  const auto *V = dyn_cast<VarDecl>(S.Key.getPointer());
  if (!V || !V->hasLocalStorage())
    return false;
  const DeclContext *Owner = V->getParentFunctionOrMethod();
  for (const DeclContext *Scope = In.Function; Scope && Scope != Owner;
       Scope = Scope->getParent())
    if (const auto *Class = dyn_cast<CXXRecordDecl>(Scope))
      if (Class->isLambda())
        for (const LambdaCapture &C : Class->captures())
          if (C.capturesVariable() && C.getCapturedVar() == V &&
              C.getCaptureKind() == LCK_ByCopy)
            return true;
  return false;
}

/// Two lvalues of one type name different objects.
bool HostPointers::Query::differentObjects(const Expr *A, const Expr *B,
                                           const HostContext &In,
                                           unsigned Depth) {
  A = A->IgnoreParenImpCasts();
  B = B->IgnoreParenImpCasts();
  if (Depth > 8)
    return false;
  const auto *RefA = dyn_cast<DeclRefExpr>(A);
  const auto *RefB = dyn_cast<DeclRefExpr>(B);
  if (RefA && RefB) {
    const auto *VarA = dyn_cast<VarDecl>(RefA->getDecl());
    const auto *VarB = dyn_cast<VarDecl>(RefB->getDecl());
    if (!VarA || !VarB || VarA->getCanonicalDecl() == VarB->getCanonicalDecl())
      return false;
    bool Refers = VarA->getType()->isReferenceType() ||
                  VarB->getType()->isReferenceType();
    if (!Refers)
      return true;
    const auto *ParmA = dyn_cast<ParmVarDecl>(VarA);
    const auto *ParmB = dyn_cast<ParmVarDecl>(VarB);
    const auto *F =
        dyn_cast_or_null<FunctionDecl>(VarA->getParentFunctionOrMethod());
    // Two reference parameters: what each caller binds.
    if (!ParmA || !ParmB || !F || F != VarB->getParentFunctionOrMethod() ||
        !ParmA->getType()->isReferenceType() ||
        !ParmB->getType()->isReferenceType() || Index.unseenCallers(F) ||
        Index.callersOf(F).empty())
      return false;
    return llvm::all_of(Index.callersOf(F), [&](const CallSite &Site) {
      const Expr *ArgA = argumentOf(Site.Call, ParmA->getFunctionScopeIndex());
      const Expr *ArgB = argumentOf(Site.Call, ParmB->getFunctionScopeIndex());
      return ArgA && ArgB &&
             differentObjects(ArgA, ArgB, HostContext{Site.Caller, {}},
                              Depth + 1);
    });
  }
  const auto *MemberA = dyn_cast<MemberExpr>(A);
  const auto *MemberB = dyn_cast<MemberExpr>(B);
  // A field of some object and a whole variable of the same type.
  if ((MemberA && RefB) || (RefA && MemberB)) {
    const auto *V = dyn_cast<VarDecl>((RefA ? RefA : RefB)->getDecl());
    const auto *F =
        dyn_cast<FieldDecl>((MemberA ? MemberA : MemberB)->getMemberDecl());
    return V && F && !V->getType()->isReferenceType() &&
           !F->getType()->isReferenceType();
  }
  if (MemberA && MemberB) {
    const auto *FieldA = dyn_cast<FieldDecl>(MemberA->getMemberDecl());
    const auto *FieldB = dyn_cast<FieldDecl>(MemberB->getMemberDecl());
    if (!FieldA || !FieldB || FieldA->getType()->isReferenceType() ||
        FieldB->getType()->isReferenceType() ||
        FieldA->getParent()->isUnion() || FieldB->getParent()->isUnion())
      return false;
    if (FieldA != FieldB)
      return true;
    return !MemberA->isArrow() && !MemberB->isArrow() &&
           differentObjects(MemberA->getBase(), MemberB->getBase(), In,
                            Depth + 1);
  }
  const auto *ElementA = dyn_cast<ArraySubscriptExpr>(A);
  const auto *ElementB = dyn_cast<ArraySubscriptExpr>(B);
  return ElementA && ElementB &&
         sameExpression(ElementA->getBase(), ElementB->getBase(),
                        Index.context()) &&
         differentIndices(ElementA->getIdx(), ElementB->getIdx());
}

namespace {

/// An index as `Base + Offset`, possibly under `% Modulus`.
struct IndexForm {
  const Expr *Base = nullptr;
  int64_t Offset = 0;
  int64_t Modulus = 0;
};

} // namespace

static std::optional<int64_t> constantOf(const Expr *E, const ASTContext &C) {
  Expr::EvalResult Result;
  if (E->isValueDependent() || !E->EvaluateAsInt(Result, C) ||
      Result.Val.getInt().getSignificantBits() > 63)
    return std::nullopt;
  return Result.Val.getInt().getExtValue();
}

static IndexForm indexForm(const Expr *E, const ASTContext &C) {
  E = E->IgnoreParenImpCasts();
  IndexForm Form;
  Form.Base = E;
  if (auto Value = constantOf(E, C))
    return {nullptr, *Value, 0};
  const auto *Op = dyn_cast<BinaryOperator>(E);
  if (!Op)
    return Form;
  auto Right = constantOf(Op->getRHS(), C);
  auto Left = constantOf(Op->getLHS(), C);
  switch (Op->getOpcode()) {
  case BO_Add:
    if (Right)
      return {Op->getLHS()->IgnoreParenImpCasts(), *Right, 0};
    if (Left)
      return {Op->getRHS()->IgnoreParenImpCasts(), *Left, 0};
    return Form;
  case BO_Sub:
    if (Right)
      return {Op->getLHS()->IgnoreParenImpCasts(), -*Right, 0};
    return Form;
  case BO_Rem:
  case BO_And: {
    // `x & (2^k - 1)` is a remainder too. An unsigned sum wraps at a power of
    // two, which only another power of two divides.
    bool And = Op->getOpcode() == BO_And;
    if (!Right || *Right <= 0)
      return Form;
    int64_t Modulus = And ? *Right + 1 : *Right;
    bool PowerOfTwo = (Modulus & (Modulus - 1)) == 0;
    bool Signed = Op->getLHS()->getType()->isSignedIntegerType();
    if (!PowerOfTwo && (And || !Signed))
      return Form;
    IndexForm Inner = indexForm(Op->getLHS(), C);
    if (!Inner.Base || Inner.Modulus)
      return Form;
    Inner.Modulus = Modulus;
    return Inner;
  }
  default:
    return Form;
  }
}

/// `1 - i`, `i ^ 1` and `!i` beside `i`.
static bool isOpposite(const Expr *A, const Expr *B, const ASTContext &C) {
  A = A->IgnoreParenImpCasts();
  B = B->IgnoreParenImpCasts();
  if (const auto *Not = dyn_cast<UnaryOperator>(B))
    return (Not->getOpcode() == UO_LNot || Not->getOpcode() == UO_Not) &&
           sameExpression(Not->getSubExpr()->IgnoreParenImpCasts(), A, C);
  const auto *Op = dyn_cast<BinaryOperator>(B);
  if (!Op)
    return false;
  const Expr *Left = Op->getLHS()->IgnoreParenImpCasts();
  const Expr *Right = Op->getRHS()->IgnoreParenImpCasts();
  if (Op->getOpcode() == BO_Sub) {
    auto Sum = constantOf(Left, C);
    return Sum && (*Sum & 1) && sameExpression(Right, A, C);
  }
  if (Op->getOpcode() != BO_Xor)
    return false;
  auto Mask = constantOf(Right, C);
  return Mask && *Mask != 0 && sameExpression(Left, A, C);
}

static bool mayChangeBetween(const Expr *E, const ASTContext &C) {
  if (E->HasSideEffects(C))
    return true;
  for (const Stmt *Child : E->children())
    if (const auto *Sub = dyn_cast_or_null<Expr>(Child))
      if (mayChangeBetween(Sub, C))
        return true;
  return E->getType().isVolatileQualified() || E->getType()->isFloatingType();
}

bool HostPointers::Query::differentIndices(const Expr *A, const Expr *B) const {
  const ASTContext &C = Index.context();
  if (mayChangeBetween(A, C) || mayChangeBetween(B, C))
    return false;
  if (isOpposite(A, B, C) || isOpposite(B, A, C))
    return true;
  IndexForm FormA = indexForm(A, C), FormB = indexForm(B, C);
  if (FormA.Modulus != FormB.Modulus || !FormA.Base != !FormB.Base)
    return false;
  if (FormA.Base && !sameExpression(FormA.Base, FormB.Base, C))
    return false;
  int64_t Difference = FormA.Offset - FormB.Offset;
  return FormA.Modulus ? Difference % FormA.Modulus != 0 : Difference != 0;
}

} // namespace cudal1
