//===- CallWalker.cpp - Calls in a body -----------------------------------===//

#include "BodyWalker.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace cudal1 {

const Kernel *CalleeSummaries::of(const FunctionDecl *Function,
                                  ASTContext &Context) {
  const FunctionDecl *Definition = nullptr;
  if (!Function->hasBody(Definition))
    return nullptr;
  auto [It, New] = Known.try_emplace(Definition, nullptr);
  if (!New)
    return It->second.get(); // null while it is being analysed: recursion
  if (Depth >= MaxCallDepth || Known.size() > MaxFunctions) {
    // Another caller may reach it at less depth.
    Known.erase(It);
    return nullptr;
  }
  llvm::SaveAndRestore Deeper(Depth, Depth + 1);
  auto Summary = std::make_unique<Kernel>();
  Summary->Function = Definition;
  Summary->Pattern = Definition;
  Summary->Context = &Context;
  for (const ParmVarDecl *P : Definition->parameters()) {
    KernelParameter Parameter;
    Parameter.Decl = P;
    Parameter.Index = Summary->Parameters.size();
    QualType Type = P->getType();
    Parameter.IsPointer = Type->isPointerType();
    Summary->Parameters.push_back(Parameter);
  }
  Assignments Changes = Assignments::of(Definition->getBody());
  BodyWalker(*Summary, Changes, *this).walk(Definition->getBody());
  Known[Definition] = std::move(Summary);
  return Known[Definition].get();
}

void BodyWalker::barrier(const CallExpr *Call, BarrierKind Kind) {
  K.Barriers.push_back({Kind, Call, Now.InLoop, Now.Conditional});
  if (Now.InLoop)
    Now.InLoop->HasBarrier = true;
}

/// An argument of a call about which nothing else is known.
void BodyWalker::argument(const Expr *Arg, QualType ParameterType) {
  bool ByReference =
      !ParameterType.isNull() && ParameterType->isReferenceType();
  if (ByReference && Arg->isLValue()) {
    bool ToConst = ParameterType.getNonReferenceType().isConstQualified();
    expression(Arg, ToConst ? Use::Read : Use::Address);
  } else if (Arg->getType()->isPointerType()) {
    expression(Arg, Use::Address);
  } else {
    expression(Arg, Arg->isLValue() && ParameterType.isNull() ? Use::Address
                                                              : Use::Read);
  }
}

void BodyWalker::arguments(const CallExpr *Call, unsigned From) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  for (unsigned I = From; I < Call->getNumArgs(); ++I)
    argument(Call->getArg(I), Callee && I - From < Callee->getNumParams()
                                  ? Callee->getParamDecl(I - From)->getType()
                                  : QualType());
}

void BodyWalker::operatorCall(const CXXOperatorCallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  bool Assignment = Method && (Method->isCopyAssignmentOperator() ||
                               Method->isMoveAssignmentOperator());
  if (Assignment && (Method->isTrivial() || Method->isDefaulted())) {
    expression(Call->getArg(1), Use::Read);
    return expression(Call->getArg(0), Use::Write);
  }
  if (!Callee) {
    for (const Expr *Arg : Call->arguments())
      expression(Arg, Use::Address);
    K.UnknownCalls.push_back("operator in a template");
    return;
  }
  const Kernel *Summary = Callees.of(Callee, *K.Context);
  if (Method && Method->isInstance()) {
    expression(Call->getArg(0), Method->isConst() ? Use::Read : Use::ReadWrite);
    arguments(Call, /*From=*/1);
  } else {
    for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
      QualType Type = Callee->getParamDecl(I)->getType();
      bool Changes = Type->isReferenceType() &&
                     !Type.getNonReferenceType().isConstQualified();
      expression(Call->getArg(I), Changes ? Use::ReadWrite : Use::Read);
    }
  }
  if (Summary)
    bodyCall(Call, Callee, *Summary);
  else if (!Callee->isTrivial() &&
           classify(*Callee) == DeviceFunction::Ordinary)
    K.UnknownCalls.push_back(Callee->getQualifiedNameAsString());
}

void BodyWalker::call(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  if (const auto *Member = dyn_cast<CXXMemberCallExpr>(Call)) {
    const CXXMethodDecl *Method = Member->getMethodDecl();
    if (const Expr *Object = Member->getImplicitObjectArgument())
      expression(Object,
                 !Method || Method->isConst() ? Use::Read : Use::ReadWrite);
  } else if (!Callee) {
    expression(Call->getCallee(), Use::Read);
  }
  if (!Callee)
    return unknownCall(Call, nullptr);
  DeviceFunction What = classify(*Callee);
  if (What != DeviceFunction::Ordinary)
    return knownCall(Call, What);
  if (const Kernel *Summary = Callees.of(Callee, *K.Context)) {
    // Pointer arguments are bound to the callee's accesses below.
    for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
      const Expr *Arg = Call->getArg(I);
      if (Arg->getType()->isPointerType() && Forms.pointerOf(Arg).Base)
        pointerOperands(Arg);
      else
        argument(Arg, I < Callee->getNumParams()
                          ? Callee->getParamDecl(I)->getType()
                          : QualType());
    }
    return bodyCall(Call, Callee, *Summary);
  }
  unknownCall(Call, Callee);
}

void BodyWalker::unknownCall(const CallExpr *Call, const FunctionDecl *Callee) {
  arguments(Call);
  bool TakesMemory = !Callee;
  if (Callee)
    for (const ParmVarDecl *P : Callee->parameters())
      TakesMemory |=
          P->getType()->isPointerType() || P->getType()->isReferenceType();
  // Clang's and the device library's own primitives without pointers compute
  // a value and nothing else.
  bool Primitive =
      Callee && Callee->getIdentifier() && !TakesMemory &&
      (Callee->getName().starts_with("__nv_") ||
       Callee->getName().starts_with("__nvvm_") || Callee->getBuiltinID() != 0);
  if (Primitive && !Callee->getName().contains("bar") &&
      !Callee->getName().contains("sync"))
    return;
  K.UnknownCalls.push_back(Callee ? Callee->getQualifiedNameAsString()
                                  : "a call through a value");
}

void BodyWalker::knownCall(const CallExpr *Call, DeviceFunction What) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  std::string Name = Callee->getNameAsString();
  auto FirstAccess = [&](AccessKind Kind) {
    if (Call->getNumArgs() == 0)
      return;
    const Expr *Pointer = Call->getArg(0);
    pointerOperands(Pointer);
    ResolvedPointer P = Forms.pointerOf(Pointer);
    MemoryAccess A;
    A.Expression = Pointer;
    A.Kind = Kind;
    A.Base = P.Base;
    A.Space = P.Space;
    A.ElementType = P.Element;
    A.Index = P.Index;
    record(std::move(A));
    for (unsigned I = 1; I < Call->getNumArgs(); ++I)
      expression(Call->getArg(I), Use::Read);
    if (Kind == AccessKind::Atomic)
      K.Atomics.push_back({Name, Call, Now.InLoop, P.Space});
  };
  switch (What) {
  case DeviceFunction::Load:
    return FirstAccess(AccessKind::Read);
  case DeviceFunction::Store:
    return FirstAccess(AccessKind::Write);
  case DeviceFunction::Atomic:
    return FirstAccess(AccessKind::Atomic);
  case DeviceFunction::BlockSync:
    barrier(Call, BarrierKind::Block);
    break;
  case DeviceFunction::WarpSync:
    barrier(Call, BarrierKind::Warp);
    break;
  case DeviceFunction::GridSync:
    barrier(Call, BarrierKind::Grid);
    break;
  case DeviceFunction::OtherSync:
  case DeviceFunction::Fence:
    barrier(Call, BarrierKind::NamedOrAsm);
    break;
  case DeviceFunction::WarpShared:
    K.WarpOperations.push_back({Name, Call});
    break;
  case DeviceFunction::Pure:
    if (isMathFunction(Name))
      K.MathCalls.push_back({Name, Call, Now.InLoop});
    break;
  case DeviceFunction::Clock:
  case DeviceFunction::Print:
  case DeviceFunction::Trap:
    K.UnknownCalls.push_back(Name);
    break;
  case DeviceFunction::Ordinary:
    break;
  }
  arguments(Call);
}

/// Adds what a function's body does to the kernel that calls it.
void BodyWalker::bodyCall(const CallExpr *Call, const FunctionDecl *Callee,
                          const Kernel &Summary) {
  unsigned Skip =
      isa<CXXOperatorCallExpr>(Call) && isa<CXXMethodDecl>(Callee) ? 1 : 0;
  auto ArgumentFor = [&](const ValueDecl *D) -> const Expr * {
    for (const KernelParameter &P : Summary.Parameters)
      if (P.Decl == D && P.Index + Skip < Call->getNumArgs())
        return Call->getArg(P.Index + Skip);
    return nullptr;
  };
  for (const MemoryAccess &Inner : Summary.Accesses) {
    if (Inner.Space == MemorySpace::Local && Inner.Base)
      continue;
    MemoryAccess A;
    A.Expression = Call;
    A.Kind = Inner.Kind;
    A.Base = Inner.Base;
    A.Space = Inner.Space;
    A.ElementType = Inner.ElementType;
    A.InCallee = true;
    if (const Expr *Arg = Inner.Base ? ArgumentFor(Inner.Base) : nullptr) {
      ResolvedPointer P = Arg->getType()->isPointerType()
                              ? Forms.pointerOf(Arg)
                              : Forms.addressOf(Arg);
      A.Base = P.Base;
      A.Space = P.Space;
      // The address of a local variable: a result returned by pointer.
      if (A.Space == MemorySpace::Local && A.Base &&
          !A.Base->getType()->isArrayType())
        continue;
    }
    record(std::move(A));
  }
  for (const KernelParameter &P : Summary.Parameters)
    if (P.Use.Escapes)
      if (const Expr *Arg = ArgumentFor(P.Decl);
          Arg && Arg->getType()->isPointerType())
        pointerValueEscapes(Arg);
  for (const Barrier &B : Summary.Barriers)
    barrier(Call, B.Kind);
  for (const WarpOperation &W : Summary.WarpOperations)
    K.WarpOperations.push_back({W.Name, Call});
  for (const AtomicOperation &A : Summary.Atomics)
    K.Atomics.push_back({A.Name, Call, Now.InLoop, A.Space});
  for (const MathCall &M : Summary.MathCalls)
    K.MathCalls.push_back({M.Name, M.Call, Now.InLoop});
  for (const ArrayVariable &A : Summary.SharedArrays)
    K.SharedArrays.push_back(A);
  for (const std::string &Name : Summary.UnknownCalls)
    if (!llvm::is_contained(K.UnknownCalls, Name))
      K.UnknownCalls.push_back(Name);
  K.HasAsm |= Summary.HasAsm;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    K.UsesThreadIdx[Axis] |= Summary.UsesThreadIdx[Axis];
    K.UsesBlockIdx[Axis] |= Summary.UsesBlockIdx[Axis];
    K.UsesBlockDim[Axis] |= Summary.UsesBlockDim[Axis];
    K.UsesGridDim[Axis] |= Summary.UsesGridDim[Axis];
  }
}

} // namespace cudal1
