//===- InlinePtx.h - Inline PTX as LLVM IR ----------------------*- C++ -*-===//
//
// Clang leaves the text of asm statements in device code as it is. The CPU
// needs its meaning instead.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_EMULATOR_INLINEPTX_H
#define CUDAL1_LIB_EMULATOR_INLINEPTX_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"

namespace cudal1 {

/// Replaces \p Call, a call of inline PTX in a module whose address spaces are
/// folded into one, by IR that does the same, and erases it. May split its
/// block. What warps, barriers, clocks and approximations need becomes calls of
/// the runtime's functions `cudal1_nvvm_...`, named after NVVM's intrinsics.
///
/// What is not emulated, and whatever PTX leaves in doubt, is an Error that
/// names the instruction; \p Call then stays as it was.
///
/// Shared memory: a generic address of it is the address in the emulator's
/// process. An address *in the shared window* (what `cvta.to.shared` and
/// `__cvta_generic_to_shared` give, what `ld.shared` takes) is the same number,
/// or its low 32 bits where programs keep it in 32: the block's shared memory
/// is small enough to tell from them which address is meant.
llvm::Error translateInlinePtx(llvm::CallInst &Call);

/// The pointer that \p Address, an i32 or i64 in the shared window, means.
llvm::Value *emitSharedPointer(llvm::IRBuilderBase &B, llvm::Value *Address);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_INLINEPTX_H
