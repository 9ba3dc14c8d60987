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
/// Shared memory: 64-bit pointers are plain addresses, so a generic address of
/// shared memory is the address in the emulator's process. An address *in the
/// shared window* (what `cvta.to.shared` gives, what `ld.shared` takes, in 32
/// or 64 bits) is the offset from the start of the block's shared memory.
/// Whoever lowers `addrspacecast` to address space 3 followed by `ptrtoint`
/// (`__cvta_generic_to_shared`) must subtract emitSharedBase() likewise, and
/// add it the other way.
llvm::Error translateInlinePtx(llvm::CallInst &Call);

/// The start of the shared memory of the running thread's block: a pointer.
llvm::Value *emitSharedBase(llvm::IRBuilderBase &B);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_INLINEPTX_H
