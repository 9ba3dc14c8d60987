//===- ObjectEmitter.h - Object files for this machine ----------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_OBJECTEMITTER_H
#define CUDAL1_LIB_EMULATOR_OBJECTEMITTER_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace cudal1 {

/// Code for this machine's processor, position-independent. An Error means
/// that this build has no code generator for it.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createHostMachine();

/// Writes \p M to an object file at \p Path.
llvm::Error emitObject(llvm::Module &M, llvm::TargetMachine &Machine,
                       const std::string &Path);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_OBJECTEMITTER_H
