//===- Move.cpp - Moves and special registers of PTX ----------------------===//

#include "../../../runtime/emulator/Abi.h"
#include "Emitter.h"
#include "llvm/ADT/StringSwitch.h"

using namespace cudal1::ptx;
using namespace llvm;
using cudal1::emulator::ThreadState;

namespace {

/// Width of the elements that {a,b,...} has for a register of \p Bits bits.
unsigned elementBits(Emitter &E, const Operand &Op, unsigned Bits) {
  unsigned Count = Op.Elements.size();
  if (Bits % Count || Bits / Count < 8)
    E.fail("'{...}' does not fit");
  return Bits / Count;
}

Value *packElements(Emitter &E, const Operand &Op, unsigned Bits) {
  unsigned Each = elementBits(E, Op, Bits);
  SmallVector<Value *, 4> Lanes;
  for (const Operand &Element : Op.Elements)
    Lanes.push_back(E.readBits(Element, Each));
  return E.failed() ? E.failValue(E.intType(Bits), "") : E.pack(Lanes);
}

void unpackElements(Emitter &E, const Operand &Op, Value *V) {
  unsigned Bits = V->getType()->getIntegerBitWidth();
  unsigned Each = elementBits(E, Op, Bits);
  for (auto [K, Element] : enumerate(Op.Elements))
    if (!E.failed())
      E.write(Element,
              E.B.CreateTrunc(E.B.CreateLShr(V, K * Each), E.intType(Each)));
}

void mov(Emitter &E, PtxInstruction &I) {
  PtxType T = E.typeOf(I);
  if (!E.expect(I, 2))
    return;
  if (T.Lanes != 1)
    return E.fail("");
  if (T.isPredicate())
    return E.write(I[0], E.readPredicate(I[1]));
  unsigned Bits = T.bits();
  // An address keeps its provenance.
  if (Bits == 64 && I[1].Kind == OperandKind::Slot && E.width(I[1]) == 64 &&
      I[0].Kind != OperandKind::Vector)
    return E.write(I[0], E.readAny(I[1]));
  Value *V = I[1].Kind == OperandKind::Vector ? packElements(E, I[1], Bits)
                                              : E.readBits(I[1], Bits);
  if (E.failed())
    return;
  if (I[0].Kind == OperandKind::Vector)
    return unpackElements(E, I[0], V);
  E.write(I[0], V);
}

Value *field(Emitter &E, size_t Offset, unsigned Index = 0) {
  return E.threadField(Offset + Index * sizeof(uint32_t), E.intType(32));
}

/// %tid.x and its like.
Value *readDimension(Emitter &E, StringRef Name) {
  auto [Base, Axis] = Name.split('.');
  unsigned Index = StringSwitch<unsigned>(Axis)
                       .Case("x", 0)
                       .Case("y", 1)
                       .Case("z", 2)
                       .Default(3);
  if (Index == 3)
    return nullptr;
  if (Base == "%tid")
    return field(E, offsetof(ThreadState, ThreadIdx), Index);
  if (Base == "%ntid")
    return field(E, offsetof(ThreadState, BlockDim), Index);
  // Without clusters each block is one.
  if (Base == "%ctaid" || Base == "%clusterid")
    return field(E, offsetof(ThreadState, BlockIdx), Index);
  if (Base == "%nctaid" || Base == "%nclusterid")
    return field(E, offsetof(ThreadState, GridDim), Index);
  if (Base == "%cluster_ctaid")
    return E.constant(32, 0);
  if (Base == "%cluster_nctaid")
    return E.constant(32, 1);
  return nullptr;
}

Value *laneMask(Emitter &E, StringRef Relation) {
  Value *Lane = field(E, offsetof(ThreadState, Lane));
  Value *Equal = E.B.CreateShl(E.constant(32, 1), Lane);
  Value *Less = E.B.CreateSub(Equal, E.constant(32, 1));
  if (Relation == "eq")
    return Equal;
  if (Relation == "lt")
    return Less;
  if (Relation == "le")
    return E.B.CreateOr(Less, Equal);
  if (Relation == "gt")
    return E.B.CreateNot(E.B.CreateOr(Less, Equal));
  return Relation == "ge" ? E.B.CreateNot(Less) : nullptr;
}

/// Registers that only the runtime knows, with their width.
Value *readFromRuntime(Emitter &E, StringRef Name) {
  unsigned Bits = StringSwitch<unsigned>(Name)
                      .Cases({"clock64", "globaltimer"}, 64)
                      .Cases({"smid", "nsmid", "nwarpid", "gridid"}, 32)
                      .Cases({"clock", "globaltimer_lo"}, 32)
                      .Cases({"total_smem_size", "aggr_smem_size"}, 32)
                      .Cases({"envreg1", "envreg2"}, 32)
                      .Default(0);
  if (Bits == 0)
    return nullptr;
  return E.runtime("read_ptx_sreg_" + Name, E.intType(Bits), {});
}

} // namespace

Value *cudal1::ptx::readSpecial(Emitter &E, StringRef Name) {
  if (Name == "WARP_SZ")
    return E.constant(32, 32);
  if (!Name.starts_with("%"))
    return nullptr;
  if (Value *V = readDimension(E, Name))
    return V;
  if (Name == "%laneid")
    return field(E, offsetof(ThreadState, Lane));
  if (Name == "%warpid")
    return field(E, offsetof(ThreadState, Warp));
  if (Name == "%dynamic_smem_size")
    return field(E, offsetof(ThreadState, DynamicSharedBytes));
  if (Name == "%cluster_ctarank" || Name == "%is_explicit_cluster")
    return E.constant(32, 0);
  if (Name == "%cluster_nctarank")
    return E.constant(32, 1);
  if (Name.starts_with("%lanemask_"))
    return laneMask(E, Name.drop_front(strlen("%lanemask_")));
  if (Name == "%reserved_smem_offset_1") {
    // An address in the shared window: its low half.
    Value *Offset =
        E.runtime("read_ptx_sreg_" + Name.drop_front(), E.intType(32), {});
    Value *Base = E.threadField(offsetof(ThreadState, Shared), E.B.getPtrTy());
    return E.B.CreateAdd(E.B.CreatePtrToInt(Base, E.intType(32)), Offset);
  }
  return readFromRuntime(E, Name.drop_front());
}

ArrayRef<HandlerEntry> cudal1::ptx::moveHandlers() {
  // A clock that is read under a condition may be read without.
  static constexpr HandlerEntry Handlers[] = {{"mov", mov, false}};
  return Handlers;
}
