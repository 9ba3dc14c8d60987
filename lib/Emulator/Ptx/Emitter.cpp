//===- Emitter.cpp - IR for the statements of inline PTX ------------------===//

#include "Emitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace cudal1::ptx;
using namespace llvm;

bool PtxInstruction::take(StringRef Name) {
  for (auto [I, Modifier] : enumerate(S.Modifiers))
    if (Modifier == Name && !Used[I]) {
      Used.set(I);
      return true;
    }
  return false;
}

StringRef PtxInstruction::takeOneOf(ArrayRef<StringRef> Names) {
  for (StringRef Name : Names)
    if (take(Name))
      return Name;
  return "";
}

std::optional<PtxType> PtxInstruction::takeType() {
  for (auto [I, Modifier] : enumerate(S.Modifiers))
    if (!Used[I])
      if (std::optional<PtxType> T = parseType(Modifier)) {
        Used.set(I);
        return T;
      }
  return std::nullopt;
}

bool PtxInstruction::takePrefixed(StringRef Prefix) {
  for (auto [I, Modifier] : enumerate(S.Modifiers))
    if (!Used[I] && StringRef(Modifier).starts_with(Prefix)) {
      Used.set(I);
      return true;
    }
  return false;
}

const HandlerEntry *cudal1::ptx::findHandler(StringRef Opcode) {
  for (ArrayRef<HandlerEntry> Handlers :
       {integerHandlers(), bitHandlers(), floatHandlers(), compareHandlers(),
        moveHandlers(), convertHandlers(), warpHandlers(), memoryHandlers(),
        atomicHandlers(), copyHandlers(), mbarrierHandlers(), videoHandlers()})
    for (const HandlerEntry &Entry : Handlers)
      if (Entry.Opcode == Opcode)
        return &Entry;
  return nullptr;
}

Emitter::Emitter(CallInst &Call, const Program &P)
    : B(&Call), Call(Call), P(P) {}

void Emitter::fail(const Twine &Why) {
  if (!Fault.empty())
    return;
  Fault = "inline PTX";
  if (Current)
    Fault += " '" + Current->statement().name() + "'";
  std::string Reason = Why.str();
  if (!Reason.empty())
    Fault += ": " + Reason;
}

Value *Emitter::failValue(llvm::Type *T, const Twine &Why) {
  fail(Why);
  return PoisonValue::get(T);
}

bool Emitter::expect(const PtxInstruction &I, size_t Count) {
  if (I.size() == Count)
    return true;
  fail("it has " + Twine(I.size()) + " operands, not " + Twine(Count));
  return false;
}

PtxType Emitter::typeOf(PtxInstruction &I) {
  std::optional<PtxType> T = I.takeType();
  if (!T)
    fail("its type is not emulated");
  return T.value_or(B32);
}

/// Bits of the register that a constraint's letter stands for, 0 for an
/// immediate operand, nullopt for what is not understood.
static std::optional<unsigned> constraintBits(StringRef Code) {
  return StringSwitch<std::optional<unsigned>>(Code)
      .Cases({"n", "i"}, 0)
      .Case("b", 1)
      .Case("c", 8)
      .Case("h", 16)
      .Cases({"r", "f"}, 32)
      .Cases({"l", "d"}, 64)
      .Case("q", 128)
      .Default(std::nullopt);
}

void Emitter::bindInput(unsigned Index, Value *Argument, StringRef Code) {
  Cell &C = Cells[Index];
  C.V = Argument;
  C.IsImmediate = C.Bits == 0;
  if (C.IsImmediate) {
    if (!isa<ConstantInt>(Argument))
      fail("operand " + Twine(Slots.size() - 1) + " is no constant number");
    return;
  }
  C.KnownBits = module().getDataLayout().getTypeSizeInBits(Argument->getType());
  if (C.KnownBits < C.Bits && Argument->getType()->isIntegerTy())
    C.V = B.CreateZExt(Argument, intType(C.Bits));
  else if (C.KnownBits != C.Bits)
    fail("an operand does not fit its constraint '" + Code + "'");
}

void Emitter::bindOperands() {
  const auto *Asm = cast<InlineAsm>(Call.getCalledOperand());
  unsigned Argument = 0;
  for (const InlineAsm::ConstraintInfo &Info : Asm->ParseConstraints()) {
    if (Info.Type == InlineAsm::isClobber)
      continue;
    StringRef Code = Info.Codes.empty() ? "" : StringRef(Info.Codes[0]);
    bool IsOutput = Info.Type == InlineAsm::isOutput;
    bool IsTied = !Code.empty() && isDigit(Code[0]);
    std::optional<unsigned> Bits = constraintBits(Code);
    if (Info.Type == InlineAsm::isLabel || Info.isIndirect ||
        Info.isMultipleAlternative || Info.Codes.size() != 1 ||
        (!IsTied && (!Bits || (IsOutput && *Bits == 0))))
      return fail("the constraint '" + Code + "' is not emulated");
    if (IsTied) {
      unsigned Output = 0;
      Code.getAsInteger(10, Output);
      Slots.push_back(Slots[Output]);
      bindInput(Slots[Output], Call.getArgOperand(Argument++), Code);
      continue;
    }
    Slots.push_back(Cells.size());
    Cells.push_back({nullptr, *Bits, false, /*IsWritable=*/IsOutput});
    if (IsOutput)
      ++OutputCount;
    else
      bindInput(Slots.back(), Call.getArgOperand(Argument++), Code);
  }
  FirstRegister = Cells.size();
  for (const Register &R : P.Registers)
    Cells.push_back({nullptr, R.Bits});
  Cells.push_back({nullptr, 1}); // the carry bit
}

void Emitter::emitUnguarded(PtxInstruction &I) {
  const HandlerEntry *Entry = findHandler(I.statement().Opcode);
  Entry->Translate(*this, I);
  if (!failed() && !I.allTaken())
    fail("");
}

void Emitter::merge(const std::vector<Cell> &Before,
                    function_ref<Value *(Value *, Value *)> Join) {
  for (auto [Old, New] : zip(Before, Cells)) {
    if (Old.V == New.V)
      continue;
    // Without the guard the register keeps what it had. If it had nothing, no
    // program can tell.
    Value *Kept = Old.V ? Old.V : Constant::getNullValue(New.V->getType());
    if (Kept->getType() != New.V->getType()) {
      Kept = cellBits(Old);
      New.V = cellBits(New);
    }
    New.V = Join(New.V, Kept);
  }
}

void Emitter::emitSelected(PtxInstruction &I, Value *Guard) {
  std::vector<Cell> Before = Cells;
  emitUnguarded(I);
  merge(Before, [&](Value *New, Value *Old) {
    return B.CreateSelect(Guard, New, Old);
  });
}

void Emitter::emitBranched(PtxInstruction &I, Value *Guard) {
  std::vector<Cell> Before = Cells;
  // Pointers become numbers before the branch, where both ways see them.
  for (Cell &C : Before)
    if (C.V)
      C.V = cellBits(C);
  Cells = Before;
  BasicBlock *Head = B.GetInsertBlock();
  DebugLoc Location = B.getCurrentDebugLocation();
  llvm::Instruction *Then =
      SplitBlockAndInsertIfThen(Guard, &*B.GetInsertPoint(), false);
  B.SetInsertPoint(Then);
  B.SetCurrentDebugLocation(Location);
  emitUnguarded(I);
  for (Cell &C : Cells)
    if (C.V)
      C.V = cellBits(C);
  BasicBlock *End = B.GetInsertBlock();
  B.SetInsertPoint(&Call.getParent()->front());
  B.SetCurrentDebugLocation(Location);
  merge(Before, [&](Value *New, Value *Old) {
    PHINode *Phi = B.CreatePHI(New->getType(), 2);
    Phi->addIncoming(New, End);
    Phi->addIncoming(Old, Head);
    return Phi;
  });
  B.SetInsertPoint(&Call);
  B.SetCurrentDebugLocation(Location);
}

void Emitter::emit(const Statement &S) {
  PtxInstruction I(S);
  Current = &I;
  const HandlerEntry *Entry = findHandler(S.Opcode);
  if (!Entry)
    return fail("");
  if (!S.Guard)
    return emitUnguarded(I);
  Value *Guard = readPredicate(*S.Guard);
  if (failed())
    return;
  if (Entry->HasEffects)
    emitBranched(I, Guard);
  else
    emitSelected(I, Guard);
}

Value *Emitter::outputValue(unsigned Index, llvm::Type *T) {
  const Cell &C = Cells[Slots[Index]];
  if (!C.V) // written under no condition: any value will do
    return Constant::getNullValue(T);
  if (C.V->getType() == T)
    return C.V;
  Value *Bits = cellBits(C);
  unsigned Want = module().getDataLayout().getTypeSizeInBits(T);
  if (Want > C.Bits)
    return failValue(T, "a result is wider than its register");
  Bits = B.CreateTrunc(Bits, intType(Want));
  return T->isPointerTy() ? B.CreateIntToPtr(Bits, T)
                          : B.CreateBitCast(Bits, T);
}

Value *Emitter::result() {
  llvm::Type *T = Call.getType();
  if (OutputCount == 0)
    return nullptr;
  auto *Struct = dyn_cast<StructType>(T);
  if (!Struct)
    return outputValue(0, T);
  Value *Result = PoisonValue::get(T);
  for (unsigned I = 0; I < OutputCount; ++I)
    Result = B.CreateInsertValue(Result,
                                 outputValue(I, Struct->getElementType(I)), I);
  return Result;
}

Expected<Value *> Emitter::run() {
  bindOperands();
  for (const Statement &S : P.Statements) {
    if (failed())
      break;
    emit(S);
    Current = nullptr;
  }
  Value *Result = failed() ? nullptr : result();
  if (failed())
    return createStringError(Fault);
  return Result;
}
