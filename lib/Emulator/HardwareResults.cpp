//===- HardwareResults.cpp ------------------------------------------------===//

#include "HardwareResults.h"
#include "NvvmArithmetic.h"
#include "llvm/IR/InstIterator.h"

using namespace cudal1;
using namespace llvm;

/// A conversion of a GPU clamps where one of a CPU gives any value.
static Value *conversion(CastInst &Cast) {
  IRBuilder<> B(&Cast);
  return clampedInteger(B, Cast.getOperand(0), Cast.getType(),
                        Cast.getOpcode() == Instruction::FPToSI);
}

static bool dividesSafely(const Value *Divisor) {
  auto *Constant = dyn_cast<ConstantInt>(Divisor);
  return Constant && !Constant->isZero() && !Constant->isMinusOne();
}

/// The quotient by zero is all ones, and so is the remainder: an H200 says so
/// for 32 and 64 bits. The least number divided by -1 is itself.
static Value *division(BinaryOperator &Division) {
  IRBuilder<> B(&Division);
  Value *Dividend = Division.getOperand(0), *Divisor = Division.getOperand(1);
  unsigned Opcode = Division.getOpcode();
  bool Signed = Opcode == Instruction::SDiv || Opcode == Instruction::SRem;
  bool Quotient = Opcode == Instruction::SDiv || Opcode == Instruction::UDiv;
  Type *T = Division.getType();
  Constant *Ones = Constant::getAllOnesValue(T);
  Value *ByZero = B.CreateIsNull(Divisor);
  Value *ByMinusOne =
      Signed ? B.CreateICmpEQ(Divisor, Ones)
             : ConstantInt::getFalse(CmpInst::makeCmpResultType(T));
  Value *Safe = B.CreateSelect(B.CreateOr(ByZero, ByMinusOne),
                               ConstantInt::get(T, 1), Divisor);
  Value *Result = B.CreateBinOp(Instruction::BinaryOps(Opcode), Dividend, Safe);
  // By 1, in place of -1, the remainder is right already.
  if (Signed && Quotient)
    Result = B.CreateSelect(ByMinusOne, B.CreateNeg(Dividend), Result);
  return B.CreateSelect(ByZero, Ones, Result);
}

/// What stands in for \p I, or nullptr.
static Value *hardwareResult(Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return conversion(cast<CastInst>(I));
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    if (!dividesSafely(I.getOperand(1)))
      return division(cast<BinaryOperator>(I));
    return nullptr;
  default:
    return nullptr;
  }
}

void cudal1::giveHardwareResults(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F)))
      if (Value *Result = hardwareResult(I)) {
        I.replaceAllUsesWith(Result);
        I.eraseFromParent();
      }
}
