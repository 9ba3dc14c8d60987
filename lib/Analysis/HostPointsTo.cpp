//===- HostPointsTo.cpp - Where a host pointer may come from --------------===//

#include "HostQuery.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Calls around an allocation that are told apart; more are left out, which
/// only makes buffers harder to tell apart.
static constexpr size_t MaxKnownCalls = 6;

bool HostBuffer::mayBe(const HostBuffer &Other) const {
  if (K != Other.K)
    return false;
  if (K != Allocation)
    return Decl == Other.Decl;
  // The shorter chain knows less of the calls around the allocation.
  size_t Common = std::min(Chain.size(), Other.Chain.size());
  return std::equal(Chain.begin(), Chain.begin() + Common, Other.Chain.begin());
}

void PointsTo::merge(const PointsTo &Other) {
  Buffers.insert(Buffers.end(), Other.Buffers.begin(), Other.Buffers.end());
  if (Unknown.empty())
    Unknown = Other.Unknown;
}

PointsTo HostPointers::Query::unknown(const llvm::Twine &Why) const {
  PointsTo Result;
  Result.Unknown = Why.str();
  return Result;
}

PointsTo HostPointers::Query::fresh(const Expr *Call,
                                    const HostContext &In) const {
  HostBuffer B;
  B.Chain.push_back(Call);
  B.Chain.append(In.Calls.begin(), In.Calls.end());
  B.Loc = (In.Calls.empty() ? Call : In.Calls.back())->getBeginLoc();
  PointsTo Result;
  Result.Buffers.push_back(std::move(B));
  return Result;
}

static const FunctionDecl *functionOf(const ValueDecl *V) {
  const DeclContext *Parent = V->getParentFunctionOrMethod();
  return dyn_cast_or_null<FunctionDecl>(Parent);
}

static bool sameFunction(const FunctionDecl *A, const FunctionDecl *B) {
  return A && B && A->getCanonicalDecl() == B->getCanonicalDecl();
}

/// The activation that a variable belongs to, as seen from \p In: the same one
/// for a local of that function; nothing is known for any other.
HostContext HostPointers::Query::contextOf(const ValueDecl *V,
                                           const HostContext &In) const {
  const auto *Var = dyn_cast<VarDecl>(V);
  const FunctionDecl *Owner = functionOf(V);
  if (Var && Var->hasLocalStorage() && sameFunction(Owner, In.Function))
    return In;
  return HostContext{Owner, {}};
}

HostContext HostPointers::Query::entering(const Expr *Call,
                                          const FunctionDecl *F,
                                          const HostContext &In) const {
  HostContext Inner;
  Inner.Function = F;
  Inner.Calls.push_back(Call);
  Inner.Calls.append(In.Calls.begin(), In.Calls.end());
  if (Inner.Calls.size() > MaxKnownCalls)
    Inner.Calls.resize(MaxKnownCalls);
  return Inner;
}

/// The pointer stays in its allocation: it moves within, or its address is only
/// kept for launches, which read.
bool HostPointers::Query::isInert(const SlotWrite &W) const {
  if (W.K == SlotWrite::Step)
    return true;
  if (W.K != SlotWrite::Unknown || W.Partners.empty())
    return false;
  const auto *V = dyn_cast<VarDecl>(W.Partners.front().getPointer());
  return V && Index.isLaunchArguments(V);
}

static bool isNamed(const FunctionDecl *F, StringRef Name) {
  return F && F->getIdentifier() && F->getName() == Name;
}

/// The container whose buffer a pointer value points into.
const Expr *HostPointers::Query::containerOf(const Expr *E) const {
  const SourceManager &SM = Index.context().getSourceManager();
  auto Owning = [&](const Expr *Object) -> const Expr * {
    Object = Object->IgnoreParenImpCasts();
    return isOwningContainer(Object->getType(), SM) ? Object : nullptr;
  };
  // `&v[0]` points into the buffer; `v[0]` by itself is only kept there.
  bool Address = false;
  // `raw_pointer_cast(v.data() + n)` is deep enough for any real program.
  for (unsigned Step = 0; Step < 12; ++Step) {
    E = stripPointer(E);
    if (const auto *Bind = dyn_cast<CXXBindTemporaryExpr>(E)) {
      E = Bind->getSubExpr();
    } else if (const auto *AddressOf = dyn_cast<UnaryOperator>(E)) {
      if (AddressOf->getOpcode() != UO_AddrOf)
        return nullptr;
      const auto *Element = dyn_cast<CXXOperatorCallExpr>(
          AddressOf->getSubExpr()->IgnoreParenImpCasts());
      return Element && Element->getOperator() == OO_Subscript
                 ? Owning(Element->getArg(0))
                 : nullptr;
    } else if (const auto *Op = dyn_cast<CXXOperatorCallExpr>(E)) {
      if (Op->getOperator() == OO_Subscript)
        return Address ? Owning(Op->getArg(0)) : nullptr;
      if (Op->getOperator() != OO_Amp && Op->getOperator() != OO_Plus)
        return nullptr;
      Address = Op->getOperator() == OO_Amp;
      E = Op->getArg(0);
    } else if (const auto *Member = dyn_cast<CXXMemberCallExpr>(E)) {
      const FunctionDecl *F = Member->getDirectCallee();
      const Expr *Object = Member->getImplicitObjectArgument();
      if (isNamed(F, "data"))
        return Owning(Object);
      if (!isNamed(F, "get"))
        return nullptr;
      E = Object;
    } else if (const auto *Call = dyn_cast<CallExpr>(E)) {
      if (!isNamed(Call->getDirectCallee(), "raw_pointer_cast") ||
          Call->getNumArgs() != 1)
        return nullptr;
      E = Call->getArg(0);
    } else {
      return nullptr;
    }
  }
  return nullptr;
}

/// Memory of a variable: `array`, `&v`, `&v.f[3]`.
std::optional<PointsTo> HostPointers::Query::objectOf(const Expr *E,
                                                      const HostContext &In) {
  if (const auto *Decay = dyn_cast<CastExpr>(E)) {
    if (Decay->getCastKind() != CK_ArrayToPointerDecay)
      return std::nullopt;
    E = Decay->getSubExpr();
  } else if (const auto *Address = dyn_cast<UnaryOperator>(E)) {
    if (Address->getOpcode() != UO_AddrOf)
      return std::nullopt;
    E = Address->getSubExpr();
  } else {
    return std::nullopt;
  }
  while (true) {
    E = E->IgnoreParenCasts();
    if (const auto *Member = dyn_cast<MemberExpr>(E)) {
      if (isa<VarDecl>(Member->getMemberDecl()))
        return std::nullopt;
      if (Member->isArrow())
        return pointsTo(Member->getBase(), In);
      E = Member->getBase();
    } else if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(E)) {
      if (!Subscript->getBase()
               ->IgnoreParenImpCasts()
               ->getType()
               ->isArrayType())
        return pointsTo(Subscript->getBase(), In);
      E = Subscript->getBase();
    } else {
      break;
    }
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V || V->getType()->isReferenceType())
    return std::nullopt;
  HostBuffer B;
  B.K = HostBuffer::Variable;
  B.Decl = V->getFirstDecl();
  B.Loc = V->getLocation();
  PointsTo Result;
  Result.Buffers.push_back(std::move(B));
  return Result;
}

PointsTo HostPointers::Query::pointsTo(const Expr *E, const HostContext &In) {
  if (isNullPointer(E, Index.context()))
    return {};
  E = stripPointer(E);
  if (const auto *Choice = dyn_cast<ConditionalOperator>(E)) {
    PointsTo Result = pointsTo(Choice->getTrueExpr(), In);
    Result.merge(pointsTo(Choice->getFalseExpr(), In));
    return Result;
  }
  if (const Expr *Object = containerOf(E)) {
    const ValueDecl *D = nullptr;
    if (const auto *Ref = dyn_cast<DeclRefExpr>(Object))
      D = Ref->getDecl();
    else if (const auto *Member = dyn_cast<MemberExpr>(Object))
      D = Member->getMemberDecl();
    if (!D || D->getType()->isReferenceType())
      return unknown("`" + describe(E) + "` cannot be followed");
    if (auto Moves = Index.bufferMoves(D))
      return unknown("`" + D->getNameAsString() +
                     "` may exchange its buffer at " + Index.where(*Moves));
    HostBuffer B;
    B.K = HostBuffer::Container;
    B.Decl = D;
    B.Loc = D->getLocation();
    PointsTo Result;
    Result.Buffers.push_back(std::move(B));
    return Result;
  }
  if (std::optional<PointsTo> Object = objectOf(E, In))
    return *Object;
  if (std::optional<Slot> S = Index.slotOf(E))
    return pointsToSlot(*S, In);
  if (const auto *New = dyn_cast<CXXNewExpr>(E))
    if (New->getNumPlacementArgs() == 0 && New->getOperatorNew() &&
        New->getOperatorNew()->isReplaceableGlobalAllocationFunction())
      return fresh(New, In);
  if (const auto *Call = dyn_cast<CallExpr>(E))
    return pointsToCall(Call, In);
  return unknown("`" + describe(E) + "` at " + Index.where(E->getBeginLoc()) +
                 " cannot be followed");
}

PointsTo HostPointers::Query::pointsToCall(const CallExpr *C,
                                           const HostContext &In) {
  const FunctionDecl *F = calleeOf(C);
  if (F && returnsAllocation(*F))
    return fresh(C, In);
  std::string Name =
      F ? "`" + F->getNameAsString() + "`" : "a function pointer";
  auto Values = F ? Index.returnsOf(F) : std::nullopt;
  if (!Values || Values->empty() || !F->getReturnType()->isPointerType())
    return unknown("what " + Name + " returns at " +
                   Index.where(C->getBeginLoc()) + " cannot be followed");
  F = F->getDefinition();
  if (!Returning.insert(F).second)
    return unknown(Name + " calls itself");
  PointsTo Result;
  for (const Expr *Value : *Values)
    Result.merge(pointsTo(Value, entering(C, F, In)));
  Returning.erase(F);
  return Result;
}

PointsTo HostPointers::Query::pointsToParameter(const ParmVarDecl *P,
                                                const HostContext &In) {
  const FunctionDecl *F = functionOf(P);
  if (!F)
    return unknown("`" + P->getNameAsString() + "` cannot be followed");
  unsigned Number = P->getFunctionScopeIndex();
  if (sameFunction(F, In.Function) && !In.Calls.empty()) {
    const Expr *Call = In.Calls.front();
    HostContext Outer{Index.callerOf(Call), {}};
    Outer.Calls.append(In.Calls.begin() + 1, In.Calls.end());
    if (const Expr *Argument = argumentOf(Call, Number))
      return pointsTo(Argument, Outer);
  }
  if (auto Obstacle = Index.unseenCallers(F))
    return unknown("`" + P->getNameAsString() +
                   "` cannot be followed: " + Obstacle->Why);
  llvm::ArrayRef<CallSite> Callers = Index.callersOf(F);
  if (Callers.empty())
    return unknown("`" + F->getNameAsString() + "` is not called in this unit");
  PointsTo Result;
  for (const CallSite &Site : Callers) {
    const Expr *Argument = argumentOf(Site.Call, Number);
    if (!Argument)
      return unknown("`" + P->getNameAsString() + "` cannot be followed");
    Result.merge(pointsTo(Argument, HostContext{Site.Caller, {}}));
  }
  return Result;
}

PointsTo HostPointers::Query::pointsToWrite(SlotKey Key, const SlotWrite &W,
                                            const HostContext &In) {
  std::string Name = Key.getPointer()->getNameAsString();
  // Written in another function (a lambda): nothing is known of its calls.
  HostContext Here =
      sameFunction(W.In, In.Function) ? In : HostContext{W.In, {}};
  switch (W.K) {
  case SlotWrite::Value:
    return pointsTo(W.E, Here);
  case SlotWrite::Step:
    return {};
  case SlotWrite::Unknown:
    return isInert(W) ? PointsTo() : unknown(W.Why);
  case SlotWrite::Exchange: {
    PointsTo Result;
    for (SlotKey Partner : W.Partners)
      if (Partner != Key) {
        Slot S;
        S.Key = Partner;
        Result.merge(pointsToSlot(S, In));
      }
    return Result;
  }
  case SlotWrite::OutArgument:
    break;
  }
  const FunctionDecl *F = calleeOf(W.E);
  if (F && allocatedArgument(*F) == W.Argument)
    return fresh(W.E, Here);
  if (isNamed(F, "cudaHostGetDevicePointer") && W.Argument == 0)
    if (const Expr *HostPointer = argumentOf(W.E, 1))
      return pointsTo(HostPointer, Here);
  if (isNamed(F, "cudaGetSymbolAddress") && W.Argument == 0)
    if (const Expr *Symbol = argumentOf(W.E, 1)) {
      const auto *Ref = dyn_cast<DeclRefExpr>(Symbol->IgnoreParenCasts());
      if (const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr) {
        HostBuffer B;
        B.K = HostBuffer::Variable;
        B.Decl = V->getFirstDecl();
        B.Loc = W.Loc;
        PointsTo Result;
        Result.Buffers.push_back(std::move(B));
        return Result;
      }
    }
  if (F && Index.isIndexed(F) && W.Argument < F->getNumParams()) {
    F = F->getDefinition();
    SlotKey Inner(F->getParamDecl(W.Argument), true);
    PointsTo Result;
    HostContext Callee = entering(W.E, F, Here);
    if (!Resolving.insert({Inner.getOpaqueValue(), Callee.Calls.size()}).second)
      return unknown("`" + F->getNameAsString() + "` calls itself");
    for (const SlotWrite &Each : Index.writesOf(Inner))
      Result.merge(pointsToWrite(Inner, Each, Callee));
    Resolving.erase({Inner.getOpaqueValue(), Callee.Calls.size()});
    return Result;
  }
  return unknown("`" + Name + "` is set at " + Index.where(W.Loc) +
                 " by a function that cannot be followed");
}

PointsTo HostPointers::Query::pointsToSlot(const Slot &S,
                                           const HostContext &In) {
  const ValueDecl *D = S.Key.getPointer();
  std::string Name = D->getNameAsString();
  if (S.Key.getInt() || D->getType()->isReferenceType())
    return unknown("`" + Name + "` refers to a pointer that cannot be told");
  if (const auto *Field = dyn_cast<FieldDecl>(D)) {
    if (auto Obstacle = Index.unseenObjects(Field->getParent()))
      return unknown("`" + Name + "` cannot be followed: " + Obstacle->Why);
  } else if (const auto *V = dyn_cast<VarDecl>(D)) {
    if (auto Obstacle = Index.unseenWriters(V))
      return unknown(Obstacle->Why);
  }
  HostContext Own = contextOf(D, In);
  std::pair<void *, size_t> Guard{S.Key.getOpaqueValue(), Own.Calls.size()};
  if (!Resolving.insert(Guard).second)
    return {};
  PointsTo Result;
  const auto *P = dyn_cast<ParmVarDecl>(D);
  if (P)
    Result.merge(pointsToParameter(P, Own));
  llvm::ArrayRef<SlotWrite> Writes = Index.writesOf(S.Key);
  if (Writes.empty() && !P)
    Result = unknown("`" + Name + "` is never set in this unit");
  for (const SlotWrite &W : Writes)
    Result.merge(pointsToWrite(S.Key, W, Own));
  Resolving.erase(Guard);
  return Result;
}

} // namespace cudal1
