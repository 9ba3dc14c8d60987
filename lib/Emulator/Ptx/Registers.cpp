//===- Registers.cpp - Reading and writing registers of inline PTX --------===//

#include "../../../runtime/emulator/Abi.h"
#include "../InlinePtx.h"
#include "Emitter.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/IR/Module.h"

using namespace cudal1::ptx;
using namespace llvm;

Emitter::Cell *Emitter::cell(const Operand &Op) {
  if (Op.Kind == OperandKind::Register)
    return &Cells[FirstRegister + Op.Index];
  if (Op.Kind == OperandKind::Slot && Op.Index < Slots.size())
    return &Cells[Slots[Op.Index]];
  return nullptr;
}

const Emitter::Cell *Emitter::cell(const Operand &Op) const {
  return const_cast<Emitter *>(this)->cell(Op);
}

unsigned Emitter::width(const Operand &Op) const {
  const Cell *C = cell(Op);
  return C ? C->Bits : 0;
}

llvm::Type *Emitter::llvmType(const PtxType &T) const {
  if (T.Class != TypeClass::Float || T.Lanes != 1)
    return intType(T.bits());
  if (T.LaneBits == 64)
    return llvm::Type::getDoubleTy(context());
  return T.LaneBits == 32 ? llvm::Type::getFloatTy(context())
                          : llvm::Type::getHalfTy(context());
}

Constant *Emitter::real(const PtxType &T, double Value) const {
  return ConstantFP::get(llvmType(T), Value);
}

Value *Emitter::asBits(Value *V) {
  llvm::Type *T = V->getType();
  if (T->isIntegerTy())
    return V;
  llvm::Type *Int = intType(module().getDataLayout().getTypeSizeInBits(T));
  return T->isPointerTy() ? B.CreatePtrToInt(V, Int) : B.CreateBitCast(V, Int);
}

Value *Emitter::fromBits(const PtxType &T, Value *Bits) {
  return B.CreateBitCast(Bits, llvmType(T));
}

Value *Emitter::cellBits(const Cell &C) {
  return C.V ? asBits(C.V) : constant(C.Bits, 0);
}

std::optional<int64_t> Emitter::constantOf(const Operand &Op) const {
  if (Op.Kind == OperandKind::Integer)
    return int64_t(Op.Bits);
  const Cell *C = cell(Op);
  if (C && C->V)
    if (const auto *Number = dyn_cast<ConstantInt>(C->V))
      if (Number->getBitWidth() <= 64)
        return Number->getSExtValue();
  return std::nullopt;
}

/// A number written in the text, as \p Bits bits.
Value *Emitter::literal(const Operand &Op, unsigned Bits) {
  if (Op.Kind == OperandKind::Integer) {
    // Both signs are written: -1 and 0xffffffff.
    if (Bits < 64 && !isUIntN(Bits, Op.Bits) && !isIntN(Bits, int64_t(Op.Bits)))
      return failValue(intType(Bits), "a number does not fit");
    if (Bits == 1 && Op.Bits > 1)
      return failValue(intType(Bits), "a number is used as a predicate");
    if (Bits > 64)
      return ConstantInt::get(context(), APInt(Bits, Op.Bits, true));
    return constant(Bits, Op.Bits);
  }
  if (Op.Kind == OperandKind::Single && Bits == 32)
    return constant(32, Op.Bits);
  if (Op.Kind == OperandKind::Double && Bits == 64)
    return constant(64, Op.Bits);
  if (Op.Kind == OperandKind::Double && Bits == 32) {
    APFloat Value(APFloat::IEEEdouble(), APInt(64, Op.Bits));
    bool LosesInfo;
    Value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &LosesInfo);
    return constant(32, Value.bitcastToAPInt().getZExtValue());
  }
  return failValue(intType(Bits), "an operand is not understood");
}

Value *Emitter::readBits(const Operand &Op, unsigned Bits, bool AllowWider) {
  if (!Op.Text.empty() && Op.Kind != OperandKind::Named)
    return failValue(intType(Bits), "parts of registers are not emulated");
  if (Op.Negated)
    return failValue(intType(Bits), "'!' is not emulated here");
  if (Op.Kind == OperandKind::Named) {
    Value *V = readSpecial(*this, Op.Text);
    if (!V)
      return failValue(intType(Bits), "'" + Op.Text + "' is not emulated");
    return B.CreateZExtOrTrunc(V, intType(Bits));
  }
  const Cell *C = cell(Op);
  if (!C)
    return literal(Op, Bits);
  if (C->IsImmediate) {
    Operand Number;
    Number.Kind = OperandKind::Integer;
    Number.Bits = *constantOf(Op);
    return literal(Number, Bits);
  }
  if (C->Bits < Bits || (C->Bits > Bits && !AllowWider))
    return failValue(intType(Bits), "a register of " + Twine(C->Bits) +
                                        " bits is read as " + Twine(Bits));
  if (C->KnownBits < Bits)
    return failValue(intType(Bits), "an operand is narrower than its register");
  return B.CreateTrunc(cellBits(*C), intType(Bits));
}

Value *Emitter::read(const Operand &Op, const PtxType &T, bool AllowWider) {
  if (T.isPredicate())
    return readPredicate(Op);
  if (T.isFloat() && T.Lanes == 1 &&
      (Op.Kind == OperandKind::Integer || Op.Kind == OperandKind::Named))
    return failValue(llvmType(T), "a number's type is in doubt");
  return fromBits(T, readBits(Op, T.bits(), AllowWider));
}

Value *Emitter::readAny(const Operand &Op) {
  const Cell *C = cell(Op);
  if (C && C->V && !C->IsImmediate && Op.Text.empty() &&
      C->KnownBits >= C->Bits)
    return C->V;
  unsigned Bits = width(Op);
  return readBits(Op, Bits ? Bits : 64);
}

Value *Emitter::readPredicate(const Operand &Op) {
  Operand Plain = Op;
  Plain.Negated = false;
  const Cell *C = cell(Op);
  if (C && !C->IsImmediate && C->Bits != 1)
    return failValue(intType(1), "an operand is no predicate");
  Value *V = readBits(Plain, 1);
  return Op.Negated ? B.CreateNot(V) : V;
}

void Emitter::write(const Operand &Op, Value *V, Extension Extend) {
  if (Op.Kind == OperandKind::Sink)
    return;
  Cell *C = cell(Op);
  if (!C || !C->IsWritable || !Op.Text.empty())
    return fail("its destination is no register that can be written");
  unsigned Bits = module().getDataLayout().getTypeSizeInBits(V->getType());
  if (V->getType()->isIntegerTy(1))
    Bits = 1;
  if (Bits < C->Bits && Extend != Extension::None) {
    V = Extend == Extension::Sign ? B.CreateSExt(asBits(V), intType(C->Bits))
                                  : B.CreateZExt(asBits(V), intType(C->Bits));
    Bits = C->Bits;
  }
  if (Bits != C->Bits)
    return fail("a value of " + Twine(Bits) + " bits goes to a register of " +
                Twine(C->Bits));
  C->V = V;
  C->KnownBits = ~0u;
}

Value *Emitter::lane(const PtxType &T, Value *Packed, unsigned Lane) {
  if (T.Lanes == 1)
    return Packed;
  Value *Bits = B.CreateTrunc(B.CreateLShr(Packed, uint64_t(Lane) * T.LaneBits),
                              intType(T.LaneBits));
  return fromBits(T.lane(), Bits);
}

Value *Emitter::pack(ArrayRef<Value *> Lanes) {
  Value *First = asBits(Lanes[0]);
  unsigned LaneBits = First->getType()->getIntegerBitWidth();
  llvm::Type *T = intType(LaneBits * Lanes.size());
  Value *Packed = B.CreateZExt(First, T);
  for (auto [I, Lane] : drop_begin(enumerate(Lanes)))
    Packed = B.CreateOr(
        Packed, B.CreateShl(B.CreateZExt(asBits(Lane), T), I * LaneBits));
  return Packed;
}

Value *Emitter::perLane(const PtxType &T, ArrayRef<Value *> Operands,
                        function_ref<Value *(ArrayRef<Value *>)> F) {
  if (T.Lanes == 1)
    return F(Operands);
  SmallVector<Value *, 2> Results;
  for (unsigned Lane = 0; Lane < T.Lanes; ++Lane) {
    SmallVector<Value *, 4> Values;
    for (Value *Op : Operands)
      Values.push_back(lane(T, Op, Lane));
    Results.push_back(F(Values));
  }
  return pack(Results);
}

/// Whether the runtime has cudal1_nvvm_<Name>.
static bool isRuntimeFunction(StringRef Name) {
  static constexpr StringRef Names[] = {
#define CUDAL1_DEVICE_FUNCTION(Result, Name, Parameters) #Name,
#include "../../../runtime/emulator/DeviceFunctions.def"
  };
  return is_contained(Names, Name);
}

CallInst *Emitter::runtime(const Twine &Name, llvm::Type *Result,
                           ArrayRef<Value *> Arguments) {
  SmallVector<llvm::Type *, 6> Types;
  for (Value *V : Arguments)
    Types.push_back(V->getType());
  if (!isRuntimeFunction(Name.str()))
    fail("the runtime has no '" + Name + "'");
  FunctionCallee Callee = module().getOrInsertFunction(
      ("cudal1_nvvm_" + Name).str(), FunctionType::get(Result, Types, false));
  CallInst *C = B.CreateCall(Callee, Arguments);
  C->setDoesNotThrow();
  // Which threads meet in it depends on the control flow around it.
  C->setConvergent();
  return C;
}

Value *Emitter::stackByte() {
  BasicBlock &Entry = Call.getFunction()->getEntryBlock();
  IRBuilder<> AtEntry(&Entry, Entry.getFirstInsertionPt());
  return AtEntry.CreateAlloca(B.getInt8Ty());
}

static Value *loadThread(IRBuilderBase &B) {
  Module &M = *B.GetInsertBlock()->getModule();
  llvm::Type *Pointer = B.getPtrTy();
  GlobalVariable *Thread = M.getNamedGlobal("cudal1_emu_thread");
  if (!Thread)
    Thread = new GlobalVariable(
        M, Pointer, /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr,
        "cudal1_emu_thread", nullptr, GlobalVariable::InitialExecTLSModel);
  LoadInst *Load = B.CreateLoad(Pointer, B.CreateThreadLocalAddress(Thread));
  Load->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(B.getContext(), {}));
  return Load;
}

static Value *loadThreadField(IRBuilderBase &B, size_t Offset, llvm::Type *T) {
  Value *Address =
      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), loadThread(B), Offset);
  LoadInst *Load = B.CreateLoad(T, Address);
  Load->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(B.getContext(), {}));
  return Load;
}

Value *Emitter::threadField(size_t Offset, llvm::Type *T) {
  return loadThreadField(B, Offset, T);
}

Value *cudal1::emitSharedPointer(IRBuilderBase &B, Value *Address) {
  Value *Base = loadThreadField(
      B, offsetof(cudal1::emulator::ThreadState, Shared), B.getPtrTy());
  Value *Low = B.CreateTrunc(Address, B.getInt32Ty());
  Value *BaseLow = B.CreatePtrToInt(Base, B.getInt32Ty());
  return B.CreatePtrAdd(
      Base, B.CreateSExt(B.CreateSub(Low, BaseLow), B.getInt64Ty()));
}

Value *Emitter::carry() {
  Value *V = Cells.back().V;
  return V ? V
           : failValue(intType(1), "the carry bit comes from another asm "
                                   "statement");
}

void Emitter::setCarry(Value *V) { Cells.back().V = V; }
