//===- ElementKernel.h - One thread an element of a plane -------*- C++ -*-===//
//
// An element kernel: each thread has a number along x and one along y of the
// whole grid, and does some work for that element where both are within their
// bounds. Transposes, image filters and stencils are of this form.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_ANALYSIS_ELEMENTKERNEL_H
#define CUDAL1_ANALYSIS_ELEMENTKERNEL_H

#include "cudal1/Analysis/Contraction.h"

namespace cudal1 {

struct ElementKernel {
  /// Along x and y, with the conditions that bound them.
  std::array<ContractionCoordinate, 2> Along;
  /// Variables declared beside the conditions or under them, not inside other
  /// statements, in source order; those of Along among them.
  std::vector<const clang::VarDecl *> Declarations;
  /// All statements but the conditions, in source order: declarations, and the
  /// work, which neither returns nor jumps.
  std::vector<const clang::Stmt *> Statements;
  /// How far apart the elements of an access are that neighbours along x and
  /// along y make, in elements. Missing where the index depends on thread and
  /// block in another way, or not linearly.
  llvm::DenseMap<const MemoryAccess *, std::array<Polynomial, 2>> Strides;
};

/// \p K as an element kernel that makes plain accesses to the memory of its
/// parameters and to constant memory, and ties its threads together in no way;
/// otherwise nothing, and \p Obstacle says why, as one clause.
std::optional<ElementKernel> findElementKernel(const Kernel &K,
                                               const BlockExtents &Block,
                                               std::string &Obstacle);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_ELEMENTKERNEL_H
