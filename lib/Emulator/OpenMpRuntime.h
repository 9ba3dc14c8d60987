//===- OpenMpRuntime.h - What compiled OpenMP calls -------------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_OPENMPRUNTIME_H
#define CUDAL1_LIB_EMULATOR_OPENMPRUNTIME_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cudal1 {

/// True if Clang, with these arguments, makes OpenMP's pragmas calls of LLVM's
/// OpenMP runtime.
bool usesOpenMp(llvm::ArrayRef<std::string> Args);

/// The path of that runtime, libomp.so: where \p HostCompiler finds it, else in
/// the LLVM that the resource directory of \p Args lies in. GCC's runtime does
/// not do: its functions are others. An Error that says what to install.
llvm::Expected<std::string> findOpenMpRuntime(llvm::StringRef HostCompiler,
                                              llvm::ArrayRef<std::string> Args);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_OPENMPRUNTIME_H
