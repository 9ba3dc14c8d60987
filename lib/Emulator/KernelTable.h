//===- KernelTable.h - What the runtime learns of a unit --------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_KERNELTABLE_H
#define CUDAL1_LIB_EMULATOR_KERNELTABLE_H

#include "AddressSpaces.h"
#include "RuntimeInterface.h"
#include "SharedMemory.h"

namespace cudal1 {

/// Adds to each kernel an entry that takes its arguments as cudaLaunchKernel
/// has them.
void addKernelEntries(RuntimeInterface &Runtime,
                      llvm::ArrayRef<std::string> Kernels);

/// Adds the module's table of kernels and variables, a constructor that
/// registers it, and the GPU that the code was compiled for (90 for sm_90).
void addKernelTable(RuntimeInterface &Runtime, const FlatModule &Flat,
                    const SharedLayout &Shared, unsigned Arch);

/// The runtime library defines this and the major version of CUDA's headers
/// that it was built with.
inline constexpr llvm::StringLiteral RuntimeVersionPrefix = "cudal1_emu_cuda_";

/// Makes the program fail to link with a runtime built for another version.
void demandRuntimeFor(RuntimeInterface &Runtime, unsigned CudaMajor);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_KERNELTABLE_H
