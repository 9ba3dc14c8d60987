//===- GlobalIds.h - Kernels that only use global thread numbers -*- C++
//-*-===//
//
// A kernel that uses blockIdx.a, blockDim.a and threadIdx.a only together, as
// the number of a thread in the whole grid, does not care how the threads are
// cut into blocks.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_GLOBALIDS_H
#define CUDAL1_LIB_REWRITE_GLOBALIDS_H

#include "BuiltinUses.h"

namespace cudal1 {

/// What keeps threads beyond the last element from doing anything.
enum class ExtraThreads {
  Unused,     ///< The kernel does not use this axis.
  GridStride, ///< A loop over all elements, in steps of the whole grid.
  Guarded,    ///< Everything is under `i < Bound`.
  Unguarded   ///< Nothing: there must be none.
};

struct GlobalIdAxis {
  ExtraThreads Extra = ExtraThreads::Unused;
  /// Guarded: the parameter that the number is less than (or than the
  /// parameter minus something); null when the bound is anything else.
  const clang::ParmVarDecl *Bound = nullptr;
  /// Constants that stand for blockDim, to be written as such before a block
  /// may change.
  std::vector<const clang::Expr *> Extents;
};

/// What \p K does along x, y and z when it uses thread numbers of the whole
/// grid only; otherwise nothing, and \p Obstacle says why. With
/// \p TakeConstants, `blockIdx.x * 16` counts as well where all blocks have
/// that extent.
std::optional<std::array<GlobalIdAxis, 3>>
globalIds(const Kernel &K, const EditBuilder &Texts, std::string &Obstacle,
          bool TakeConstants = false);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_GLOBALIDS_H
