//===- DeviceCompiler.h - From NVVM IR to code for the CPU ------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_DEVICECOMPILER_H
#define CUDAL1_LIB_EMULATOR_DEVICECOMPILER_H

#include "cudal1/Emulator/EmulatedProgram.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace cudal1 {

/// A device module made for the CPU, optimised and checked.
struct CpuModule {
  std::unique_ptr<llvm::Module> Module;
  std::vector<std::string> Unsupported; ///< see EmulatedProgram
};

/// Makes \p Device, as compileSide() gives it, code for \p Machine.
llvm::Expected<CpuModule> compileDevice(std::unique_ptr<llvm::Module> Device,
                                        const EmulationSpec &Spec,
                                        llvm::TargetMachine &Machine);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_DEVICECOMPILER_H
