//===- NvvmArithmetic.h - Intrinsics that are plain IR ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_NVVMARITHMETIC_H
#define CUDAL1_LIB_EMULATOR_NVVMARITHMETIC_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace cudal1 {

/// If the intrinsic `llvm.nvvm.NAME` that \p Call calls is arithmetic that LLVM
/// has itself, emits it before the call and returns its value; else nullptr.
/// The value is what the GPU computes, to the bit.
llvm::Value *lowerNvvmArithmetic(llvm::StringRef Name, llvm::CallInst &Call);

/// \p From as an integer of type \p To, towards zero, as a GPU converts:
/// clamped to the type's range; NaN gives 0, or the sign bit alone where either
/// type has 64 bits.
llvm::Value *clampedInteger(llvm::IRBuilderBase &B, llvm::Value *From,
                            llvm::Type *To, bool Signed);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_NVVMARITHMETIC_H
