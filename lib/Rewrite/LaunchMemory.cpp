//===- LaunchMemory.cpp - Device memory that launches and calls touch -----===//

#include "LaunchMemory.h"
#include "CudaCalls.h"
#include "HostPaths.h"
#include "cudal1/Analysis/HostIndex.h"
#include "cudal1/Analysis/HostPointers.h"
#include "cudal1/Rewrite/StatementTree.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

/// Functions of the program that are followed into each other.
static constexpr unsigned MaxDepth = 4;

const Kernel *kernelOf(const Launch &L, const ProgramAnalysis &A) {
  for (const std::unique_ptr<Kernel> &K : A.kernels())
    if (llvm::is_contained(K->Launches, &L))
      return K.get();
  return nullptr;
}

/// Pointers may lie in the memory behind it.
static bool mayHoldPointers(QualType Pointee) {
  if (Pointee->isPointerType() || Pointee->isReferenceType())
    return true;
  const RecordDecl *R = Pointee->getAsRecordDecl();
  return R && llvm::any_of(R->fields(), [](const FieldDecl *F) {
           return mayHoldPointers(F->getType());
         });
}

void TouchedMemory::addLaunch(const Launch &L, const ProgramAnalysis &A) {
  const Kernel *K = kernelOf(L, A);
  if (!K || !K->UnknownCalls.empty() || K->HasAsm) {
    Unknown = true;
    return;
  }
  for (const KernelParameter &P : K->Parameters)
    if (P.IsPointer && (P.Use.Escapes || mayHoldPointers(P.Pointee)))
      Unknown = true;
  for (const MemoryAccess &Access : K->Accesses) {
    if (Access.Space == MemorySpace::Shared ||
        Access.Space == MemorySpace::Local ||
        Access.Space == MemorySpace::Constant)
      continue;
    const auto *P = dyn_cast_or_null<ParmVarDecl>(Access.Base);
    if (!P || !K->parameter(P) ||
        P->getFunctionScopeIndex() >= L.Arguments.size()) {
      Unknown = true;
      continue;
    }
    const Expr *Argument = L.Arguments[P->getFunctionScopeIndex()];
    if (Access.reads())
      Read.push_back(Argument);
    if (Access.writes())
      Written.push_back(Argument);
  }
}

/// Of the standard library or of C, and given nothing to call back.
static bool isLibraryFunction(const FunctionDecl *F, const SourceManager &SM) {
  if (F->getBuiltinID())
    return true;
  if (!F->isInStdNamespace() && !F->isExternC())
    return false;
  return F->getOverloadedOperator() != OO_Call &&
         llvm::none_of(F->parameters(), [&](const ParmVarDecl *P) {
           QualType T = P->getType().getNonReferenceType();
           const RecordDecl *R = T->getAsRecordDecl();
           return T->isFunctionType() || T->isFunctionPointerType() ||
                  T->isMemberPointerType() ||
                  (R &&
                   !SM.isInSystemHeader(SM.getExpansionLoc(R->getLocation())));
         });
}

static bool isWithoutCuda(const FunctionDecl *F, const ASTContext &Context,
                          unsigned Depth);

/// What makes or destroys an object of the program's own may do anything.
static bool isQuietObject(const CXXConstructExpr *Makes,
                          const ASTContext &Context, unsigned Depth) {
  const CXXConstructorDecl *Constructor = Makes->getConstructor();
  const CXXDestructorDecl *Destructor =
      Constructor->getParent()->getDestructor();
  return isWithoutCuda(Constructor, Context, Depth) &&
         (!Destructor || Destructor->isTrivial() ||
          isWithoutCuda(Destructor, Context, Depth));
}

/// \p S itself, not what it holds, may call the CUDA runtime for more than an
/// answer.
static bool mayUseCuda(const Stmt *S, const ASTContext &Context,
                       unsigned Depth) {
  if (isa<LambdaExpr, AsmStmt, CUDAKernelCallExpr>(S))
    return true;
  if (const auto *Delete = dyn_cast<CXXDeleteExpr>(S))
    return Delete->getDestroyedType().isNull() ||
           Delete->getDestroyedType()->isRecordType();
  if (const auto *Makes = dyn_cast<CXXConstructExpr>(S))
    return !isQuietObject(Makes, Context, Depth);
  const auto *C = dyn_cast<CallExpr>(S);
  if (!C)
    return false;
  CudaCall What = classifyCudaCall(C, Context);
  return What == CudaCall::None
             ? !isWithoutCuda(C->getDirectCallee(), Context, Depth)
             : What != CudaCall::Query && What != CudaCall::ErrorQuery;
}

/// Calling \p F makes no calls of the CUDA runtime but such as only ask.
static bool isWithoutCuda(const FunctionDecl *F, const ASTContext &Context,
                          unsigned Depth) {
  const FunctionDecl *Definition = nullptr;
  if (!F || Depth > MaxDepth)
    return false;
  const SourceManager &SM = Context.getSourceManager();
  if (F->isTrivial() || isQuietFunction(F, Context))
    return true;
  if (F->getBuiltinID() ||
      SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation())))
    return isLibraryFunction(F, SM);
  const auto *Method = dyn_cast<CXXMethodDecl>(F);
  if (!F->hasBody(Definition) || (Method && Method->isVirtual()))
    return false;
  return !findIn(Definition->getBody(), [&](const Stmt *S) {
    return mayUseCuda(S, Context, Depth + 1);
  });
}

bool mayUseCuda(const Stmt *S, const ASTContext &Context) {
  return mayUseCuda(S, Context, 0);
}

void TouchedMemory::addAllIn(const Stmt *S, const ProgramAnalysis &A) {
  const ASTContext &Context = A.program().context(Side::Host);
  findIn(S, [&](const Stmt *Child) {
    const auto *C = dyn_cast<CallExpr>(Child);
    if (!C) {
      Unknown |= mayUseCuda(Child, Context);
      return false;
    }
    if (isa<CUDAKernelCallExpr>(C)) {
      const Launch *Of = nullptr;
      for (const std::unique_ptr<Launch> &L : A.launches())
        if (L->Call == C)
          Of = L.get();
      Of ? addLaunch(*Of, A) : void(Unknown = true);
      return false;
    }
    switch (classifyCudaCall(C, Context)) {
    case CudaCall::CopyToHost:
      Read.push_back(C->getArg(1));
      break;
    case CudaCall::CopyToDevice:
    case CudaCall::Fill:
      Written.push_back(C->getArg(0));
      break;
    case CudaCall::CopyOnDevice:
      Written.push_back(C->getArg(0));
      Read.push_back(C->getArg(1));
      break;
    case CudaCall::Other:
      Unknown = true;
      break;
    case CudaCall::None:
      Unknown |= mayUseCuda(C, Context);
      break;
    default:
      break;
    }
    return false;
  });
}

static bool meetsAny(llvm::ArrayRef<const Expr *> Some, const Expr *Pointer,
                     const FunctionDecl &F, const ProgramAnalysis &A) {
  HostPointers Pointers(A.hostIndex());
  HostContext In{&F, {}};
  return llvm::any_of(Some, [&](const Expr *Other) {
    return !Pointers.mayOverlap(Other, Pointer, In).disjoint();
  });
}

bool TouchedMemory::mayWrite(const Expr *Pointer, const FunctionDecl &F,
                             const ProgramAnalysis &A) const {
  return Unknown || meetsAny(Written, Pointer, F, A);
}

bool TouchedMemory::mayRead(const Expr *Pointer, const FunctionDecl &F,
                            const ProgramAnalysis &A) const {
  return Unknown || meetsAny(Read, Pointer, F, A);
}

} // namespace cudal1
