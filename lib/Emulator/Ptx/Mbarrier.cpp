//===- Mbarrier.cpp - Barriers in shared memory of PTX --------------------===//
//
// An mbarrier object is opaque to programs. Here its 64 bits hold
//
//   bits  0 to 19   arrivals that the current phase still waits for
//   bits 20 to 39   arrivals that a phase needs
//   bits 40 to 60   bytes that copies still owe it, plus 2^20: may be negative
//   bits 61 to 63   number of the current phase
//
// and a state is what the object held when a thread arrived. The threads of a
// block run on one OS thread and switch in calls of the runtime only, so that
// two updates in a row are one to them.
//
//===----------------------------------------------------------------------===//

#include "Mbarrier.h"
#include "Memory.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace cudal1::ptx;
using namespace llvm;

namespace {

constexpr unsigned CountBits = 20;
constexpr unsigned BytesShift = 2 * CountBits;
constexpr unsigned PhaseShift = 61;
constexpr uint64_t CountMask = maskTrailingOnes<uint64_t>(CountBits);
/// No bytes owed.
constexpr uint64_t NoBytes = uint64_t(1) << (BytesShift + CountBits);
/// What is NoBytes once a phase is complete.
constexpr uint64_t OpenMask =
    CountMask | (maskTrailingOnes<uint64_t>(PhaseShift) &
                 ~maskTrailingOnes<uint64_t>(BytesShift));
const Align ObjectAlign = Align::Constant<8>();

/// What a wait that found nothing sleeps for, in ns: it lets others run.
constexpr uint32_t Pause = 32;

/// A count of arrivals as 64 bits; 1 if the operand is left out.
Value *countOf(Emitter &E, const PtxInstruction &I, size_t Index) {
  if (I.size() <= Index)
    return E.constant(64, 1);
  return E.B.CreateZExt(E.read(I[Index], U32), E.intType(64));
}

Value *phaseOf(Emitter &E, Value *Word) {
  return E.B.CreateLShr(Word, PhaseShift);
}

Value *pendingOf(Emitter &E, Value *Word) {
  return E.B.CreateAnd(Word, CountMask);
}

/// Takes what says how an operation is ordered. All are ordered as strictly
/// as any.
void takeOrder(PtxInstruction &I) {
  I.takeOneOf({"release", "acquire", "relaxed"});
  takeScope(I);
}

Value *takeAddress(Emitter &E, PtxInstruction &I, size_t Index) {
  Space S = takeSpace(I);
  if (!I.take("b64") || (S != Space::Shared && S != Space::Generic) ||
      I.size() <= Index)
    return E.failValue(E.B.getPtrTy(), "");
  return addressOf(E, I[Index], S);
}

void init(Emitter &E, PtxInstruction &I) {
  Value *Pointer = takeAddress(E, I, 0);
  if (!E.expect(I, 2))
    return;
  Value *Count = countOf(E, I, 1);
  Value *Word = E.B.CreateOr(Count, E.B.CreateShl(Count, CountBits));
  Word = E.B.CreateOr(Word, NoBytes);
  E.B.CreateAlignedStore(Word, Pointer, ObjectAlign);
}

/// Adds \p Change to the object's fields. If nothing is open then, the next
/// phase begins. The state before.
Value *change(Emitter &E, Value *Pointer, Value *Change) {
  emitFence(E, "cta");
  Value *Old = E.B.CreateAtomicRMW(AtomicRMWInst::Add, Pointer, Change,
                                   ObjectAlign, AtomicOrdering::AcquireRelease);
  Value *New = E.B.CreateAdd(Old, Change);
  Value *Needed = E.B.CreateAnd(E.B.CreateLShr(New, CountBits), CountMask);
  Value *Begin =
      E.B.CreateAdd(Needed, E.constant(64, uint64_t(1) << PhaseShift));
  Value *IsComplete =
      E.B.CreateICmpEQ(E.B.CreateAnd(New, OpenMask), E.constant(64, NoBytes));
  E.B.CreateAtomicRMW(AtomicRMWInst::Add, Pointer,
                      E.B.CreateSelect(IsComplete, Begin, E.constant(64, 0)),
                      ObjectAlign, AtomicOrdering::AcquireRelease);
  return Old;
}

/// expect_tx and complete_tx: [address], bytes
void transact(Emitter &E, PtxInstruction &I, bool Completes) {
  takeOrder(I);
  Value *Pointer = takeAddress(E, I, 0);
  if (!E.expect(I, 2))
    return;
  Value *Bytes = countOf(E, I, 1);
  if (E.failed())
    return;
  if (Completes)
    return emitTransfer(E, Pointer, Bytes);
  change(E, Pointer, E.B.CreateShl(Bytes, BytesShift));
}

/// mbarrier.arrive and arrive_drop: state, [address]{, count}; with .expect_tx
/// it is bytes instead of a count.
void arrive(Emitter &E, PtxInstruction &I, bool Drops) {
  bool NeverCompletes = I.take("noComplete");
  bool ExpectsBytes = I.take("expect_tx");
  takeOrder(I);
  Value *Pointer = takeAddress(E, I, 1);
  if (I.size() < 2 || I.size() > 3 ||
      (I.size() != 3 && (NeverCompletes || ExpectsBytes)))
    return E.fail("");
  Value *Count = countOf(E, I, 2);
  if (E.failed())
    return;
  if (ExpectsBytes) {
    change(E, Pointer, E.B.CreateShl(Count, BytesShift));
    Count = E.constant(64, 1);
  }
  E.write(I[0], emitArrival(E, Pointer, Count, Drops));
}

/// Whether the phase that \p State belongs to, or the one of \p Parity, is
/// complete. If not, others get to run.
void wait(Emitter &E, PtxInstruction &I) {
  bool ByParity = I.take("parity");
  takeOrder(I);
  Value *Pointer = takeAddress(E, I, 1);
  if (I.size() < 3 || I.size() > 4)
    return E.fail("");
  Value *Expected = ByParity ? E.B.CreateZExt(E.read(I[2], U32), E.intType(64))
                             : phaseOf(E, E.read(I[2], B64));
  if (I.size() == 4)
    E.read(I[3], U32); // for how long to wait at most
  if (E.failed())
    return;
  LoadInst *Word = E.B.CreateAlignedLoad(E.intType(64), Pointer, ObjectAlign);
  Word->setAtomic(AtomicOrdering::Acquire);
  Value *Phase = phaseOf(E, Word);
  if (ByParity)
    Phase = E.B.CreateAnd(Phase, 1);
  Value *IsComplete = E.B.CreateICmpNE(Phase, Expected);
  DebugLoc Location = E.B.getCurrentDebugLocation();
  llvm::Instruction *After = &*E.B.GetInsertPoint();
  E.B.SetInsertPoint(SplitBlockAndInsertIfThen(
      E.B.CreateNot(IsComplete), After->getIterator(), /*Unreachable=*/false));
  E.B.SetCurrentDebugLocation(Location);
  E.runtime("nanosleep", E.B.getVoidTy(), {E.constant(32, Pause)});
  E.B.SetInsertPoint(After);
  E.B.SetCurrentDebugLocation(Location);
  E.write(I[0], IsComplete);
}

void pendingCount(Emitter &E, PtxInstruction &I) {
  if (!I.take("b64") || !E.expect(I, 2))
    return E.fail("");
  E.write(I[0],
          E.B.CreateTrunc(pendingOf(E, E.read(I[1], B64)), E.intType(32)));
}

void mbarrier(Emitter &E, PtxInstruction &I) {
  StringRef Operation =
      I.takeOneOf({"init", "inval", "arrive", "arrive_drop", "test_wait",
                   "try_wait", "pending_count", "expect_tx", "complete_tx"});
  if (Operation == "init")
    return init(E, I);
  if (Operation == "arrive" || Operation == "arrive_drop")
    return arrive(E, I, Operation == "arrive_drop");
  if (Operation == "test_wait" || Operation == "try_wait")
    return wait(E, I);
  if (Operation == "pending_count")
    return pendingCount(E, I);
  if (Operation == "expect_tx" || Operation == "complete_tx")
    return transact(E, I, Operation == "complete_tx");
  if (Operation != "inval" || !E.expect(I, 1))
    return E.fail("");
  takeAddress(E, I, 0); // the memory may be used for something else now
}

} // namespace

Value *cudal1::ptx::emitArrival(Emitter &E, Value *Pointer, Value *Count,
                                bool Drops) {
  Value *Taken =
      Drops ? E.B.CreateAdd(Count, E.B.CreateShl(Count, CountBits)) : Count;
  return change(E, Pointer, E.B.CreateNeg(Taken));
}

void cudal1::ptx::emitTransfer(Emitter &E, Value *Pointer, Value *Bytes) {
  change(E, Pointer, E.B.CreateNeg(E.B.CreateShl(Bytes, BytesShift)));
}

ArrayRef<HandlerEntry> cudal1::ptx::mbarrierHandlers() {
  static constexpr HandlerEntry Handlers[] = {{"mbarrier", mbarrier, true}};
  return Handlers;
}
