//===- WaitingHints.cpp - Where a thread may wait for another -------------===//

#include "WaitingHints.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace cudal1;
using namespace llvm;

/// The variable cudal1_emu_thread of the runtime, or its address.
static bool isThreadVariable(const Value *V) {
  auto *Call = dyn_cast<IntrinsicInst>(V);
  if (Call && Call->getIntrinsicID() == Intrinsic::threadlocal_address)
    V = Call->getArgOperand(0);
  return isa<GlobalVariable>(V) && V->getName() == "cudal1_emu_thread";
}

/// If \p Address lies in what a field of the thread's state points to, or in
/// the state itself: how many loads it is away from the thread's variable.
static unsigned loadsFromThread(const Value *Address) {
  const Value *Base = getUnderlyingObject(Address);
  for (unsigned Loads = 0; Loads < 3; ++Loads) {
    if (isThreadVariable(Base))
      return Loads + 1;
    auto *Load = dyn_cast<LoadInst>(Base);
    if (!Load)
      return 0;
    Base = getUnderlyingObject(Load->getPointerOperand());
  }
  return 0;
}

bool cudal1::isThreadState(const Value *Address) {
  unsigned Loads = loadsFromThread(Address);
  return Loads == 1 || Loads == 2;
}

bool cudal1::isSharedAddress(const Value *Address) {
  return loadsFromThread(Address) == 3;
}

/// True for an update by a constant that changes what is there each time, as in
/// `while ((i = atomicAdd(&next, 1)) < n)`: a thread that does it gets on.
static bool alwaysChanges(const AtomicRMWInst &Update) {
  switch (Update.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub: {
    auto *By = dyn_cast<ConstantInt>(Update.getValOperand());
    return By && !By->isZero();
  }
  default:
    return false;
  }
}

/// Reads that see what other threads write meanwhile. An atomic operation whose
/// old value nobody looks at tells a thread nothing, however often it loops.
static bool observesOthers(const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return (Load->isVolatile() || Load->isAtomic()) &&
           !isThreadState(Load->getPointerOperand());
  if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return !I.use_empty() && !alwaysChanges(*Update);
  return isa<AtomicCmpXchgInst>(I) && !I.use_empty();
}

static bool isVolatileShared(const Instruction &I) {
  return I.isVolatile() && isSharedAddress(getLoadStorePointerOperand(&I));
}

static void addTo(Function &F, RuntimeInterface &Runtime) {
  DominatorTree Dominators(F);
  LoopInfo Loops(Dominators);
  SmallVector<Instruction *> Observing, Volatile;
  for (Instruction &I : instructions(F)) {
    if (observesOthers(I) && Loops.getLoopFor(I.getParent()))
      Observing.push_back(&I);
    if (isa<LoadInst, StoreInst>(I) && isVolatileShared(I))
      Volatile.push_back(&I);
  }
  for (Instruction *I : Observing)
    IRBuilder<>(I->getNextNode())
        .CreateCall(
            Runtime.function("cudal1_emu_spin_hint", Runtime.voidType(), {}));
  for (Instruction *I : Volatile)
    IRBuilder<>(I).CreateCall(
        Runtime.function("cudal1_emu_volatile_access", Runtime.voidType(), {}));
}

void cudal1::addWaitingHints(RuntimeInterface &Runtime) {
  SmallVector<Function *> Functions;
  for (Function &F : Runtime.module())
    if (!F.isDeclaration())
      Functions.push_back(&F);
  for (Function *F : Functions)
    addTo(*F, Runtime);
}
