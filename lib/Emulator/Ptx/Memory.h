//===- Memory.h - Addresses of PTX instructions -----------------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_PTX_MEMORY_H
#define CUDAL1_LIB_EMULATOR_PTX_MEMORY_H

#include "Emitter.h"

namespace cudal1::ptx {

enum class Space : uint8_t { Generic, Global, Shared, Local, Constant };

/// The state space that \p I names; none is generic.
Space takeSpace(PtxInstruction &I);

/// The pointer that the operand `[a+b]` means.
llvm::Value *addressOf(Emitter &E, const Operand &Op, Space S);

/// How an access is ordered.
struct AccessOrder {
  bool IsVolatile = false;
  /// NotAtomic for plain accesses.
  llvm::AtomicOrdering Order = llvm::AtomicOrdering::NotAtomic;
  llvm::StringRef Scope = "gl"; ///< for a fence
};

/// The fences that make an access with \p Order a release or an acquire also
/// to the runtime, which sees accesses as relaxed ones.
void emitFenceBefore(Emitter &E, llvm::AtomicOrdering Order,
                     llvm::StringRef Scope);
void emitFenceAfter(Emitter &E, llvm::AtomicOrdering Order,
                    llvm::StringRef Scope);

/// Takes what says how far an access reaches (`.gpu`) and gives its name for
/// a fence.
llvm::StringRef takeScope(PtxInstruction &I);
/// Takes hints for caches. Those that need an operand are left.
void takeCacheHints(PtxInstruction &I);

} // namespace cudal1::ptx

#endif // CUDAL1_LIB_EMULATOR_PTX_MEMORY_H
