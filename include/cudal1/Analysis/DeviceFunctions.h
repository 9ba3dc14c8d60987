//===- DeviceFunctions.h - What CUDA's own functions do ---------*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_DEVICEFUNCTIONS_H
#define CUDAL1_ANALYSIS_DEVICEFUNCTIONS_H

#include "cudal1/Analysis/Kernel.h"

namespace cudal1 {

/// What a call does, as far as its name tells.
enum class DeviceFunction {
  Ordinary,   ///< Nothing is known: look at its body.
  Pure,       ///< Depends on its arguments only (maths, min, bit tricks).
  Load,       ///< Reads through its first argument (__ldg, __ldcs ...).
  Store,      ///< Writes through its first argument (__stcg ...).
  Atomic,     ///< Read-modify-write through its first argument.
  BlockSync,  ///< __syncthreads and its kin.
  WarpSync,   ///< __syncwarp
  OtherSync,  ///< Barriers by name or through a group object.
  GridSync,   ///< Whole grid.
  Fence,      ///< __threadfence and its kin.
  WarpShared, ///< Exchanges values in a warp (__shfl_sync, __ballot_sync ...).
  Clock,      ///< clock, clock64, globaltimer.
  Print,      ///< printf
  Trap        ///< assert, __trap
};

/// Classifies a callee by its qualified name and, for members of
/// cooperative groups, its class.
DeviceFunction classify(const clang::FunctionDecl &Callee);

/// True for a maths function of float or double (expf, pow, __sinf, sqrt),
/// by name.
bool isMathFunction(llvm::StringRef Name);

/// CUDA's own `__half` or `__nv_bfloat16`.
bool isSmallFloat(clang::QualType Type);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_DEVICEFUNCTIONS_H
