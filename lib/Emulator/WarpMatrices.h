//===- WarpMatrices.h - Matrix operations of a warp -------------*- C++ -*-===//

#ifndef CUDAL1_LIB_EMULATOR_WARPMATRICES_H
#define CUDAL1_LIB_EMULATOR_WARPMATRICES_H

#include "RuntimeInterface.h"

namespace cudal1 {

/// If \p Call calls `llvm.nvvm.wmma.NAME` of 16-bit, tf32 or double fragments,
/// emits what stands for it before the call and returns true, with its value
/// (null for a store) in \p Result. Lane l holds elements l, l + 32, ... of a
/// matrix, row by row; where a fragment has more places than that, they hold
/// them again.
bool lowerWarpMatrix(RuntimeInterface &Runtime, llvm::StringRef Name,
                     llvm::CallInst &Call, llvm::Value *&Result);

} // namespace cudal1

#endif // CUDAL1_LIB_EMULATOR_WARPMATRICES_H
