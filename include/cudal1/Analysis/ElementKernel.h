//===- ElementKernel.h - One thread an element of a plane -------*- C++ -*-===//
//
// An element kernel: each thread has a number along x, and mostly one along y,
// of the whole grid, and does some work for that element where both are within
// their bounds. Transposes, image filters and stencils are of this form. Those
// in three dimensions have a number along z too.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_ANALYSIS_ELEMENTKERNEL_H
#define CUDAL1_ANALYSIS_ELEMENTKERNEL_H

#include "cudal1/Analysis/Contraction.h"

namespace cudal1 {

struct ElementKernel {
  /// Along x and y, with the conditions that bound them. No variables along y
  /// where the kernel knows nothing of that axis.
  std::array<ContractionCoordinate, 2> Along;
  /// The same along z. No variables but in a volume.
  ContractionCoordinate AlongZ;
  /// The conditions: `if (x < w && y < h)`, `if (x >= w) return;`.
  std::vector<const clang::IfStmt *> Conditions;
  /// Variables declared beside the conditions or under them, not inside other
  /// statements, in source order; those of Along among them.
  std::vector<const clang::VarDecl *> Declarations;
  /// All statements but the conditions, in source order: declarations, and the
  /// work, which does not jump about.
  std::vector<const clang::Stmt *> Statements;
  /// The work may end with a `return`.
  bool Returns = false;
  /// Bounds of the coordinates that are known before any memory is accessed,
  /// also by conditions that say more: `if (x > 0 && x < w - 1)`.
  std::array<std::vector<CoordinateGuard>, 3> Bounds;

  /// The coordinate along \p Axis: 0, 1 or 2.
  const ContractionCoordinate &along(unsigned Axis) const {
    return Axis < 2 ? Along[Axis] : AlongZ;
  }
  /// The coordinate along \p Axis with all that bounds it for any access.
  ContractionCoordinate bounded(unsigned Axis) const {
    ContractionCoordinate C = along(Axis);
    C.Guards = Bounds[Axis];
    return C;
  }
  bool isPlane() const { return !Along[1].Variables.empty(); }
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

/// The same for threads that have a number along x, y and z: `blockIdx.z *
/// blockDim.z + threadIdx.z`, or `blockIdx.z` in blocks one thread deep.
std::optional<ElementKernel> findVolumeKernel(const Kernel &K,
                                              const BlockExtents &Block,
                                              std::string &Obstacle);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_ELEMENTKERNEL_H
