//===- InlinePtx.cpp - Inline PTX as LLVM IR ------------------------------===//

#include "InlinePtx.h"
#include "Ptx/Emitter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace cudal1;
using namespace llvm;

/// Translates a copy of \p Call in a function of its own, which is then thrown
/// away: what fails half-way leaves no trace in the caller.
static Error tryTranslation(CallInst &Call, const ptx::Program &P) {
  SmallVector<Type *, 8> Types;
  for (Value *Argument : Call.args())
    Types.push_back(Argument->getType());
  LLVMContext &Context = Call.getContext();
  Function *Trial = Function::Create(
      FunctionType::get(Type::getVoidTy(Context), Types, false),
      GlobalValue::InternalLinkage, "cudal1.ptx.trial", Call.getModule());
  BasicBlock *Block = BasicBlock::Create(Context, "", Trial);
  auto *Copy = cast<CallInst>(Call.clone());
  Copy->setDebugLoc({});
  for (auto [Index, Argument] : enumerate(Call.args()))
    if (!isa<Constant>(Argument))
      Copy->setArgOperand(Index, Trial->getArg(Index));
  Copy->insertInto(Block, Block->end());
  ReturnInst::Create(Context, Block);
  Expected<Value *> Result = ptx::Emitter(*Copy, P).run();
  Trial->dropAllReferences();
  Trial->eraseFromParent();
  return Result.takeError();
}

Error cudal1::translateInlinePtx(CallInst &Call) {
  const auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  Expected<ptx::Program> P = ptx::parseProgram(Asm->getAsmString());
  if (!P)
    return P.takeError();
  if (Error E = tryTranslation(Call, *P))
    return E;
  Expected<Value *> Result = ptx::Emitter(Call, *P).run();
  if (!Result)
    return Result.takeError();
  if (*Result)
    Call.replaceAllUsesWith(*Result);
  // `asm volatile("" ::: "memory")` keeps the compiler from moving accesses.
  if (P->Statements.empty() && Asm->hasSideEffects())
    IRBuilder<>(&Call).CreateFence(AtomicOrdering::SequentiallyConsistent,
                                   SyncScope::SingleThread);
  Call.eraseFromParent();
  return Error::success();
}
