//===- LoopBuffers.cpp - Buffers that a host loop makes and frees ---------===//

#include "LoopBuffers.h"
#include "RepeatLoop.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace cudal1 {

const CheckedCall *BufferFinder::callAt(const Stmt *S, CudaCall What) const {
  for (const CheckedCall &C : Calls.all())
    if (C.Statement == S && classifyCudaCall(C.Call, Context) == What)
      return &C;
  return nullptr;
}

const VarDecl *BufferFinder::pointerOf(const CheckedCall &C) const {
  if (C.Call->getNumArgs() == 0)
    return nullptr;
  const Expr *E = C.Call->getArg(0)->IgnoreParenCasts();
  if (classifyCudaCall(C.Call, Context) == CudaCall::Allocate) {
    const auto *Address = dyn_cast<UnaryOperator>(E);
    if (!Address || Address->getOpcode() != UO_AddrOf)
      return nullptr;
    E = Address->getSubExpr()->IgnoreParenCasts();
  }
  const auto *Ref = dyn_cast<DeclRefExpr>(E);
  const auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return V && V->hasLocalStorage() && !isa<ParmVarDecl>(V) &&
                 V->getType()->isPointerType()
             ? V
             : nullptr;
}

bool BufferFinder::isFixedSize(const Expr *Size,
                               const VariableSet &Changed) const {
  Expr::EvalResult Constant;
  if (Size->EvaluateAsInt(Constant, Context))
    return true;
  if (Size->HasSideEffects(Context) || findIn(Size, [](const Stmt *S) {
        const auto *B = dyn_cast<BinaryOperator>(S);
        return isa<CallExpr, CXXConstructExpr, ArraySubscriptExpr>(S) ||
               (isa<UnaryOperator>(S) &&
                cast<UnaryOperator>(S)->getOpcode() == UO_Deref) ||
               (isa<MemberExpr>(S) && cast<MemberExpr>(S)->isArrow()) ||
               (B && (B->getOpcode() == BO_Div || B->getOpcode() == BO_Rem));
      }))
    return false;
  return llvm::none_of(variablesReadIn(Size), [&](const VarDecl *V) {
    return Changed.contains(V) || !V->hasLocalStorage();
  });
}

bool BufferFinder::isPlainUse(const VarDecl *V,
                              const CompoundStmt *Body) const {
  unsigned All = 0, Plain = 0, Addresses = 0;
  auto Mentions = [V](const Stmt *S) {
    const auto *Ref = dyn_cast<DeclRefExpr>(S);
    return Ref && Ref->getDecl() == V;
  };
  findIn(F.getBody(), [&](const Stmt *S) {
    All += Mentions(S);
    return false;
  });
  findIn(Body, [&](const Stmt *S) {
    if (const auto *Address = dyn_cast<UnaryOperator>(S))
      Addresses += Address->getOpcode() == UO_AddrOf &&
                   Mentions(Address->getSubExpr()->IgnoreParens());
    const auto *C = dyn_cast<CallExpr>(S);
    if (!C || (!isa<CUDAKernelCallExpr>(C) &&
               classifyCudaCall(C, Context) == CudaCall::None))
      return false;
    for (const Expr *Argument : C->arguments())
      findIn(Argument, [&](const Stmt *Inner) {
        Plain += Mentions(Inner);
        return false;
      });
    return false;
  });
  return All == Plain && Addresses == 1;
}

/// Where the pointer is declared: before the loop, or by a statement of the
/// body that only declares pointers and can stand before the loop as well.
bool BufferFinder::isDeclaredForIt(LoopBuffer &B,
                                   const CompoundStmt *Body) const {
  for (const Stmt *S : Body->body()) {
    const auto *Declares = dyn_cast<DeclStmt>(S);
    if (Declares && llvm::is_contained(Declares->decls(), B.Pointer))
      B.Declaration = Declares;
  }
  if (!B.Declaration)
    return !findIn(Body, [&](const Stmt *S) {
      const auto *Declares = dyn_cast<DeclStmt>(S);
      return Declares && llvm::is_contained(Declares->decls(), B.Pointer);
    });
  for (const Decl *D : B.Declaration->decls()) {
    const auto *V = dyn_cast<VarDecl>(D);
    if (!V || V->hasInit() || !V->getType()->isPointerType() ||
        !V->hasLocalStorage())
      return false;
    // Its name means nothing else in the function.
    bool Another = findIn(F.getBody(), [&](const Stmt *S) {
      const auto *Ref = dyn_cast<DeclRefExpr>(S);
      if (Ref && Ref->getDecl() != V && Ref->getDecl()->getIdentifier() &&
          Ref->getDecl()->getName() == V->getName())
        return true;
      const auto *Others = dyn_cast<DeclStmt>(S);
      return Others && llvm::any_of(Others->decls(), [&](const Decl *Other) {
               const auto *Named = dyn_cast<NamedDecl>(Other);
               return Named && Named != V && Named->getIdentifier() &&
                      Named->getName() == V->getName();
             });
    });
    if (Another || llvm::any_of(F.parameters(), [&](const ParmVarDecl *P) {
          return P->getName() == V->getName();
        }))
      return false;
  }
  return true;
}

/// Memory is made or released, or something is called that might, in a
/// statement that is more than that call.
bool BufferFinder::usesMemoryOtherwise(const Stmt *S) const {
  return findIn(S, [&](const Stmt *Inner) {
    const auto *C = dyn_cast<CallExpr>(Inner);
    CudaCall What = C ? classifyCudaCall(C, Context) : CudaCall::None;
    return What == CudaCall::Allocate || What == CudaCall::Free ||
           What == CudaCall::Other;
  });
}

std::vector<LoopBuffer> BufferFinder::find(const Stmt *Loop,
                                           const CompoundStmt *Body) {
  bool Jumps = findIn(Body, [&](const Stmt *S) {
    return isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, LabelStmt,
               CXXThrowExpr, LambdaExpr>(S) &&
           !Calls.isAfterFailure(S);
  });
  if (Jumps)
    return {};
  VariableSet Changed = hostVariablesChangedIn(Loop);
  std::vector<LoopBuffer> Found;
  bool Freed = false;
  for (const Stmt *S : Body->body()) {
    if (const CheckedCall *C = callAt(S, CudaCall::Allocate)) {
      // Behind a release it would find less room than before.
      if (Freed)
        return {};
      LoopBuffer B{pointerOf(*C), nullptr, S, nullptr};
      if (B.Pointer && C->Call->getNumArgs() >= 2 &&
          isFixedSize(C->Call->getArg(1), Changed) &&
          isPlainUse(B.Pointer, Body) && isDeclaredForIt(B, Body))
        Found.push_back(B);
    } else if (const CheckedCall *C = callAt(S, CudaCall::Free)) {
      Freed = true;
      for (LoopBuffer &B : Found)
        if (B.Pointer == pointerOf(*C) && !B.Free)
          B.Free = S;
    } else if (usesMemoryOtherwise(S)) {
      return {};
    }
  }
  llvm::erase_if(Found, [](const LoopBuffer &B) { return !B.Free; });
  return Found;
}

void collectOuterLoops(const Stmt *S, std::vector<const Stmt *> &Out) {
  if (!S || isa<LambdaExpr>(S))
    return;
  if (isa<ForStmt, WhileStmt, CXXForRangeStmt>(S)) {
    Out.push_back(S);
    return;
  }
  for (const Stmt *Child : S->children())
    collectOuterLoops(Child, Out);
}

const CompoundStmt *bodyOfLoop(const Stmt *Loop) {
  if (const auto *For = dyn_cast<ForStmt>(Loop))
    return dyn_cast<CompoundStmt>(For->getBody());
  if (const auto *While = dyn_cast<WhileStmt>(Loop))
    return dyn_cast<CompoundStmt>(While->getBody());
  return dyn_cast<CompoundStmt>(cast<CXXForRangeStmt>(Loop)->getBody());
}

} // namespace cudal1
