//===- NvvmLowering.h - NVVM's intrinsics on a CPU --------------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_NVVMLOWERING_H
#define CUDAL1_LIB_EMULATOR_NVVMLOWERING_H

#include "RuntimeInterface.h"
#include <string>
#include <vector>

namespace cudal1 {

/// Replaces the calls that only a GPU has: intrinsics of NVVM, __nvvm_reflect,
/// and the functions that CUDA's device runtime provides. Arithmetic becomes
/// plain IR, the rest calls of the runtime (runtime/emulator). What neither
/// covers becomes a call that ends the program with the construct's name.
/// \p Arch is the GPU's, 90 for sm_90.
///
/// Returns the names of what is not covered, once each.
std::vector<std::string> lowerNvvm(RuntimeInterface &Runtime, unsigned Arch);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_NVVMLOWERING_H
