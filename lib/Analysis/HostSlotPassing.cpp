//===- HostSlotPassing.cpp - Fills a HostIndex: slots given to calls ------===//
//
// What a call, or whoever holds an address, may do to a slot.
//
//===----------------------------------------------------------------------===//

#include "HostIndexVisitor.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace cudal1 {

/// `&slot` at \p Level.
void HostIndexVisitor::addressUse(const Slot &S, size_t Level) {
  size_t Outer = skipCasts(Level);
  const auto *E = cast<Expr>(Path[Level].S);
  SourceLocation Loc = E->getBeginLoc();
  const Stmt *Parent = Outer > 0 ? Path[Outer - 1].S : nullptr;
  if (isa_and_nonnull<CallExpr, CXXConstructExpr>(Parent))
    return passedToCall(S, cast<Expr>(Path[Outer].S), Outer - 1, true);
  if (const auto *Op = dyn_cast_or_null<BinaryOperator>(Parent))
    if (Op->isComparisonOp())
      return;
  // `void *args[] = {&a, &b}` for a launch.
  if (isa_and_nonnull<InitListExpr>(Parent) && Outer > 1 && Path[Outer - 2].D)
    if (const auto *V = dyn_cast<VarDecl>(Path[Outer - 2].D))
      if (V->getType()->isArrayType() && V->hasLocalStorage()) {
        SlotWrite W;
        W.Loc = Loc;
        W.E = nullptr;
        W.Why = "the address of `" + S.Key.getPointer()->getNameAsString() +
                "` is kept in `" + V->getNameAsString() + "` at " +
                Index.where(Loc);
        Index.ArgumentArrays.try_emplace(V);
        W.Partners.push_back(SlotKey(V, false));
        write(S.Key, std::move(W));
        return;
      }
  unknown(S, Loc, "has its address taken");
}

static bool onlyReadsArguments(const FunctionDecl &F) {
  if (!F.getIdentifier() || !F.isInStdNamespace())
    return false;
  return llvm::StringSwitch<bool>(F.getName())
      .Cases({"make_pair", "make_tuple", "async", "emplace_back", "emplace",
              "push_back", "min", "max"},
             true)
      .Default(false);
}

/// The slot, or its address, is an argument of the call at \p CallLevel.
void HostIndexVisitor::passedToCall(const Slot &S, const Expr *Argument,
                                    size_t CallLevel, bool ByAddress) {
  const auto *Call = cast<Expr>(Path[CallLevel].S);
  SourceLocation Loc = Argument->getBeginLoc();
  if (PartOfExchange.contains(Call))
    return;
  const FunctionDecl *Callee = calleeOf(Call);
  if (Callee && (onlyReadsArguments(*Callee) || isLaunchFunction(*Callee)))
    return;
  if (!Callee)
    return unknown(S, Loc, "is passed to a function that cannot be told");
  for (unsigned I = 0; const Expr *Passed = argumentOf(Call, I); ++I) {
    if (Passed != Argument)
      continue;
    QualType Param = I < Callee->getNumParams()
                         ? Callee->getParamDecl(I)->getType()
                         : Argument->getType();
    // `T *const &` and `const void *` only read.
    if (Param->isPointerOrReferenceType() &&
        Param->getPointeeType().isConstQualified())
      return;
    if (!ByAddress && !Param->isReferenceType())
      return;
    SlotWrite W;
    W.K = SlotWrite::OutArgument;
    W.E = Call;
    W.Argument = I;
    W.Loc = Call->getBeginLoc();
    return write(S.Key, std::move(W));
  }
  unknown(S, Loc, "is passed to `" + Callee->getNameAsString() + "`");
}

/// The value of a parameter is used: for a `T **`, what it points to may be
/// written. The load stands at \p Level.
void HostIndexVisitor::parameterValueUse(const ParmVarDecl *P, size_t Level) {
  if (!P->getType()->isPointerType() ||
      !P->getType()->getPointeeType()->isPointerType() ||
      P->getType()->getPointeeType().isConstQualified())
    return;
  Slot S;
  S.Key = SlotKey(P, true);
  SourceLocation Loc = cast<Expr>(Path[Level].S)->getBeginLoc();
  size_t Outer = skipCasts(Level);
  const Stmt *Parent = Outer > 0 ? Path[Outer - 1].S : nullptr;
  if (const auto *Op = dyn_cast_or_null<UnaryOperator>(Parent)) {
    if (Op->getOpcode() == UO_Deref && Outer == Level)
      return useOfSlot(S, Outer - 1);
    if (Op->getOpcode() == UO_LNot)
      return;
  }
  if (isa_and_nonnull<ArraySubscriptExpr>(Parent) && Outer == Level &&
      Index.slotOf(cast<Expr>(Parent)))
    return useOfSlot(S, Outer - 1);
  if (const auto *Op = dyn_cast_or_null<BinaryOperator>(Parent))
    if (Op->isComparisonOp() || Op->isLogicalOp())
      return;
  if (isa_and_nonnull<IfStmt>(Parent))
    return;
  if (isa_and_nonnull<CallExpr, CXXConstructExpr>(Parent))
    return passedToCall(S, cast<Expr>(Path[Outer].S), Outer - 1, true);
  unknown(S, Loc, "is passed on");
}

/// Members that neither hand out the container itself nor exchange its buffer.
static bool keepsBuffer(StringRef Name) {
  return llvm::StringSwitch<bool>(Name)
      .Cases({"data", "size", "begin", "end", "cbegin", "cend", "resize",
              "reserve", "assign", "push_back", "clear", "empty", "at", "front",
              "back", "capacity", "get"},
             true)
      .Default(false);
}

/// A container at \p Level: is it used for more than its elements?
void HostIndexVisitor::containerUse(const ValueDecl *V, size_t Level) {
  size_t Outer = skipCasts(Level);
  const Stmt *Parent = Outer > 0 ? Path[Outer - 1].S : nullptr;
  if (const auto *Member = dyn_cast_or_null<MemberExpr>(Parent))
    if (const auto *Method = dyn_cast<CXXMethodDecl>(Member->getMemberDecl()))
      if (Method->getIdentifier() && keepsBuffer(Method->getName()))
        return;
  if (const auto *Call = dyn_cast_or_null<CXXOperatorCallExpr>(Parent))
    if (Call->getOperator() == OO_Subscript)
      return;
  if (const auto *Call = dyn_cast_or_null<CallExpr>(Parent))
    if (const FunctionDecl *Callee = Call->getDirectCallee())
      for (unsigned I = 0; const Expr *Passed = argumentOf(Call, I); ++I)
        if (Passed == Path[Outer].S && I < Callee->getNumParams() &&
            Callee->getParamDecl(I)
                ->getType()
                .getNonReferenceType()
                .isConstQualified())
          return;
  Index.BufferMoves.try_emplace(cast<ValueDecl>(V->getCanonicalDecl()),
                                cast<Expr>(Path[Level].S)->getBeginLoc());
}

} // namespace cudal1
