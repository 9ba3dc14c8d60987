//===- EmulationSetup.h - From a CompileUnit to an emulation ----*- C++ -*-===//

#ifndef CUDAL1_EMULATOR_EMULATIONSETUP_H
#define CUDAL1_EMULATOR_EMULATIONSETUP_H

#include "cudal1/Emulator/EmulatedProgram.h"
#include "cudal1/Frontend/CompileUnit.h"

namespace cudal1 {

/// What buildEmulated() needs for \p Unit. \p Toolkit may be null if the unit
/// needs none; the runtime library lies in lib/ beside the bin/ of
/// \p Executable.
EmulationSpec emulationSpecFor(const CompileUnit &Unit,
                               const CudaToolkit *Toolkit,
                               llvm::StringRef ResourceDir,
                               llvm::StringRef Executable);

} // namespace cudal1

#endif // CUDAL1_EMULATOR_EMULATIONSETUP_H
