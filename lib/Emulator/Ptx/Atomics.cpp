//===- Atomics.cpp - Atomic updates of PTX --------------------------------===//

#include "Floats.h"
#include "Memory.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace cudal1::ptx;
using namespace llvm;

namespace {

/// One atom or red.
struct Update {
  StringRef Op;
  PtxType T;
  unsigned Count = 1; ///< elements, each an update of its own
  AtomicOrdering Order = AtomicOrdering::Monotonic;
  StringRef Scope = "gl"; ///< for fences
};

AtomicOrdering takeOrdering(PtxInstruction &I) {
  StringRef Name = I.takeOneOf({"relaxed", "acquire", "release", "acq_rel"});
  return StringSwitch<AtomicOrdering>(Name)
      .Case("acquire", AtomicOrdering::Acquire)
      .Case("release", AtomicOrdering::Release)
      .Case("acq_rel", AtomicOrdering::AcquireRelease)
      .Default(AtomicOrdering::Monotonic);
}

std::optional<AtomicRMWInst::BinOp> operationOf(const Update &U) {
  using Op = AtomicRMWInst::BinOp;
  const PtxType &T = U.T;
  bool IsWord = T.LaneBits == 32 || T.LaneBits == 64;
  if (T.isFloat())
    return T.Lanes == 1 && IsWord && U.Op == "add" ? std::optional(Op::FAdd)
                                                   : std::nullopt;
  if (!IsWord || T.Lanes != 1)
    return std::nullopt;
  if (T.Class == TypeClass::Bits)
    return StringSwitch<std::optional<Op>>(U.Op)
        .Case("and", Op::And)
        .Case("or", Op::Or)
        .Case("xor", Op::Xor)
        .Case("exch", Op::Xchg)
        .Default(std::nullopt);
  if (U.Op == "add")
    return Op::Add;
  if (U.Op == "min")
    return T.isSigned() ? Op::Min : Op::UMin;
  if (U.Op == "max")
    return T.isSigned() ? Op::Max : Op::UMax;
  if (T == U32 && U.Op == "inc")
    return Op::UIncWrap;
  if (T == U32 && U.Op == "dec")
    return Op::UDecWrap;
  return std::nullopt;
}

/// Replaces what \p Pointer holds by what \p Change makes of it, in a loop of
/// cmpxchg. Returns the old value.
Value *updateInLoop(Emitter &E, Value *Pointer, unsigned Bits,
                    AtomicOrdering Order,
                    function_ref<Value *(Value *)> Change) {
  DebugLoc Location = E.B.getCurrentDebugLocation();
  llvm::Type *T = E.intType(Bits);
  LoadInst *Initial = E.B.CreateAlignedLoad(T, Pointer, Align(Bits / 8));
  Initial->setAtomic(AtomicOrdering::Monotonic);
  llvm::Instruction *After = &*E.B.GetInsertPoint();
  BasicBlock *Head = E.B.GetInsertBlock();
  BasicBlock *Tail = SplitBlock(Head, After->getIterator());
  BasicBlock *Loop =
      BasicBlock::Create(E.context(), "", Head->getParent(), Tail);
  Head->getTerminator()->setSuccessor(0, Loop);
  E.B.SetInsertPoint(Loop);
  E.B.SetCurrentDebugLocation(Location);
  PHINode *Old = E.B.CreatePHI(T, 2);
  Old->addIncoming(Initial, Head);
  Value *Exchange = E.B.CreateAtomicCmpXchg(
      Pointer, Old, Change(Old), Align(Bits / 8), Order,
      AtomicCmpXchgInst::getStrongestFailureOrdering(Order));
  Old->addIncoming(E.B.CreateExtractValue(Exchange, 0), Loop);
  E.B.CreateCondBr(E.B.CreateExtractValue(Exchange, 1), Tail, Loop);
  E.B.SetInsertPoint(After);
  E.B.SetCurrentDebugLocation(Location);
  return Old;
}

/// Updates one element; the old value's bits.
Value *updateElement(Emitter &E, const Update &U, Value *Pointer,
                     const Operand &Op, Align Alignment) {
  const PtxType &T = U.T;
  if (T.isHalf()) {
    if (U.Op != "add")
      return E.failValue(E.intType(T.bits()), "");
    Value *Addend = E.read(Op, T);
    return updateInLoop(E, Pointer, T.bits(), U.Order, [&](Value *Old) {
      Value *Sum = E.perLane(
          T, {T.Lanes == 1 ? E.fromBits(T, Old) : Old, Addend},
          [&](ArrayRef<Value *> V) { return addHalves(E, V[0], V[1], T); });
      return E.asBits(Sum);
    });
  }
  std::optional<AtomicRMWInst::BinOp> Operation = operationOf(U);
  if (!Operation)
    return E.failValue(E.intType(T.bits()), "");
  return E.asBits(E.B.CreateAtomicRMW(*Operation, Pointer, E.read(Op, T),
                                      Alignment, U.Order));
}

/// atom.cas: compared and set.
Value *compareAndSwap(Emitter &E, const Update &U, Value *Pointer,
                      const Operand &Compare, const Operand &New) {
  unsigned Bits = U.T.bits();
  if (U.T.Class != TypeClass::Bits || Bits < 16 || Bits > 64 || U.Count != 1)
    return E.failValue(E.intType(Bits), "");
  Value *Exchange = E.B.CreateAtomicCmpXchg(
      Pointer, E.readBits(Compare, Bits), E.readBits(New, Bits),
      Align(Bits / 8), U.Order,
      AtomicCmpXchgInst::getStrongestFailureOrdering(U.Order));
  return E.B.CreateExtractValue(Exchange, 0);
}

/// Updates what \p Pointer holds, which the operand \p First names.
/// \p HasResult: atom gives what was there before.
void updateAll(Emitter &E, PtxInstruction &I, const Update &U, Value *Pointer,
               bool HasResult) {
  size_t First = HasResult ? 1 : 0;
  if (U.Op == "cas") {
    Value *Old = compareAndSwap(E, U, Pointer, I[First + 1], I[First + 2]);
    return HasResult ? E.write(I[0], Old) : E.fail("");
  }
  const Operand &In = I[First + 1];
  if (U.Count == 1) {
    Value *Old = updateElement(E, U, Pointer, In, Align(U.T.bits() / 8));
    if (HasResult)
      E.write(I[0], Old);
    return;
  }
  if (In.Elements.size() != U.Count || !U.T.isFloat() ||
      (HasResult && I[0].Elements.size() != U.Count))
    return E.fail("");
  uint64_t Bytes = U.T.bits() / 8;
  SmallVector<Value *, 4> Olds;
  for (unsigned K = 0; K < U.Count; ++K) {
    Value *P =
        E.B.CreateConstInBoundsGEP1_64(E.B.getInt8Ty(), Pointer, K * Bytes);
    Olds.push_back(
        updateElement(E, U, P, In.Elements[K],
                      commonAlignment(Align(Bytes * U.Count), K * Bytes)));
  }
  if (HasResult)
    for (unsigned K = 0; K < U.Count; ++K)
      E.write(I[0].Elements[K], Olds[K]);
}

void update(Emitter &E, PtxInstruction &I, bool HasResult) {
  Update U{"", B32};
  if (I.statement().Opcode == "red" && I.take("async"))
    return E.fail("");
  U.Order = takeOrdering(I);
  U.Scope = takeScope(I);
  Space S = takeSpace(I);
  U.Op = I.takeOneOf(
      {"and", "or", "xor", "exch", "add", "inc", "dec", "min", "max", "cas"});
  I.take("noftz");
  StringRef Vector = I.takeOneOf({"v2", "v4", "v8"});
  if (!Vector.empty())
    U.Count = Vector[1] - '0';
  U.T = E.typeOf(I);
  size_t First = HasResult ? 1 : 0;
  if (!E.expect(I, First + (U.Op == "cas" ? 3 : 2)) || E.failed())
    return;
  if (U.Op.empty() || S == Space::Local || S == Space::Constant)
    return E.fail("");
  Value *Pointer = addressOf(E, I[First], S);
  if (E.failed())
    return;
  emitFenceBefore(E, U.Order, U.Scope);
  updateAll(E, I, U, Pointer, HasResult);
  emitFenceAfter(E, U.Order, U.Scope);
}

void atom(Emitter &E, PtxInstruction &I) { update(E, I, true); }
void red(Emitter &E, PtxInstruction &I) { update(E, I, false); }

} // namespace

ArrayRef<HandlerEntry> cudal1::ptx::atomicHandlers() {
  static constexpr HandlerEntry Handlers[] = {
      {"atom", atom, true},
      {"red", red, true},
  };
  return Handlers;
}
