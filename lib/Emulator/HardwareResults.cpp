//===- HardwareResults.cpp ------------------------------------------------===//

#include "HardwareResults.h"
#include "NvvmArithmetic.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

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

/// What an H200 answers where \p Division divides by zero: the remainder is the
/// dividend and the quotient all ones, of 64 bits the lower half where the
/// upper half of the dividend is zero: short numbers are divided as 32 bits.
static Value *resultByZero(IRBuilderBase &B, const BinaryOperator &Division) {
  Value *Dividend = Division.getOperand(0);
  if (Division.getOpcode() == Instruction::SRem ||
      Division.getOpcode() == Instruction::URem)
    return Dividend;
  Type *T = Division.getType();
  Constant *Ones = Constant::getAllOnesValue(T);
  if (!T->isIntegerTy(64))
    return Ones;
  Constant *LowerOnes =
      ConstantInt::get(T, std::numeric_limits<uint32_t>::max());
  return B.CreateSelect(B.CreateICmpULE(Dividend, LowerOnes), LowerOnes, Ones);
}

/// A division that has no faults. The least number divided by -1 is itself.
static Value *division(BinaryOperator &Division) {
  IRBuilder<> B(&Division);
  Value *Dividend = Division.getOperand(0), *Divisor = Division.getOperand(1);
  Instruction::BinaryOps Opcode = Division.getOpcode();
  bool Signed = Opcode == Instruction::SDiv || Opcode == Instruction::SRem;
  Type *T = Division.getType();
  Value *ByZero = B.CreateIsNull(Divisor);
  Value *ByMinusOne =
      Signed ? B.CreateICmpEQ(Divisor, Constant::getAllOnesValue(T))
             : ConstantInt::getFalse(CmpInst::makeCmpResultType(T));
  Value *Safe = B.CreateSelect(B.CreateOr(ByZero, ByMinusOne),
                               ConstantInt::get(T, 1), Divisor);
  Value *Result = B.CreateBinOp(Opcode, Dividend, Safe);
  // By 1, in place of -1, the remainder is right already.
  if (Opcode == Instruction::SDiv)
    Result = B.CreateSelect(ByMinusOne, B.CreateNeg(Dividend), Result);
  return B.CreateSelect(ByZero, resultByZero(B, Division), Result);
}

/// if (divisor == 0) tell(...); before \p Division.
static void reportZero(RuntimeInterface &Runtime, BinaryOperator &Division) {
  IRBuilder<> B(&Division);
  Value *ByZero = B.CreateIsNull(Division.getOperand(1));
  if (ByZero->getType()->isVectorTy())
    ByZero = B.CreateOrReduce(ByZero);
  Instruction *Then = SplitBlockAndInsertIfThen(
      ByZero, Division.getIterator(), /*Unreachable=*/false,
      MDBuilder(B.getContext()).createUnlikelyBranchWeights());
  IRBuilder<>(Then).CreateCall(Runtime.function("cudal1_emu_division_by_zero",
                                                Runtime.voidType(),
                                                {Runtime.pointer()}),
                               {Runtime.site(Division)});
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

void cudal1::giveHardwareResults(RuntimeInterface &Runtime, bool ReportZero) {
  SmallVector<Instruction *> All;
  for (Function &F : Runtime.module())
    for (Instruction &I : instructions(F))
      All.push_back(&I);
  for (Instruction *I : All)
    if (Value *Result = hardwareResult(*I)) {
      if (ReportZero && I->isIntDivRem())
        reportZero(Runtime, cast<BinaryOperator>(*I));
      I->replaceAllUsesWith(Result);
      I->eraseFromParent();
    }
}
