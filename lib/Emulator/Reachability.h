//===- Reachability.h - What a kernel may call ------------------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_REACHABILITY_H
#define CUDAL1_LIB_EMULATOR_REACHABILITY_H

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Function.h"

namespace cudal1 {

/// Every function that a call of \p Root may run, itself and declarations
/// included. A function whose address is taken counts as called by whoever
/// takes it or makes an indirect call.
llvm::SetVector<llvm::Function *> reachableFrom(llvm::Function &Root);

/// Whether a function of the runtime, by its name, may make a thread wait.
bool isWaitingFunction(llvm::StringRef Name);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_REACHABILITY_H
