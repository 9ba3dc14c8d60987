//===- ClangFlagPurpose.h - What a flag of the driver is for ----*- C++ -*-===//

#ifndef CUDAL1_LIB_FRONTEND_CLANGFLAGPURPOSE_H
#define CUDAL1_LIB_FRONTEND_CLANGFLAGPURPOSE_H

#include "llvm/Option/Arg.h"
#include <initializer_list>

namespace cudal1 {

/// What a flag of the driver is for.
enum class Purpose {
  Unknown,
  Input,
  Output, ///< What to make and where; dependency files.
  Linker,
  DebugInfo,
  Warning,
  Instrument, ///< Sanitizers, coverage, link-time optimisation.
  Side,       ///< Host only, device only.
  Arch,
  FastMath,
  Machine, ///< -m...: the host's instruction set.
  Parse    ///< Everything else may change the meaning of the source.
};

/// True if \p Flag belongs to one of Clang's option \p Groups.
bool inAnyGroup(const llvm::opt::Arg &Flag,
                std::initializer_list<unsigned> Groups);

Purpose purposeOf(const llvm::opt::Arg &Flag);

} // namespace cudal1

#endif // CUDAL1_LIB_FRONTEND_CLANGFLAGPURPOSE_H
