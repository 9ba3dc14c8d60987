//===- ItemLaunches.h - Threads that take several elements ------*- C++ -*-===//
//
// A kernel with one thread an element spends as much on what a block begins and
// ends with as on its elements. Its blocks may each do the work of several: of
// those that would have come after one another along one axis of the grid.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_ITEMLAUNCHES_H
#define CUDAL1_LIB_REWRITE_ITEMLAUNCHES_H

#include "LaunchEdits.h"
#include "cudal1/Analysis/Contraction.h"

namespace cudal1 {

class ItemLaunches {
public:
  /// How blocks come to do the work of several.
  enum class Form {
    Loop,      ///< A loop around the body: the kernel counts blocks by itself.
    GridStride ///< The kernel's own loop does as much as there is to do.
  };

  /// The launches of \p K, one and all able to be changed, whose grids cover
  /// all elements under a guard along one axis; otherwise nothing, and
  /// \p Obstacle says why.
  static std::optional<ItemLaunches>
  of(const Kernel &K, const ProgramAnalysis &A, std::string &Obstacle);

  /// The same for the elements of \p C, whose numbers the kernel may also count
  /// by a constant that is the block's extent.
  static std::optional<ItemLaunches> along(const ContractionCoordinate &C,
                                           const Kernel &K,
                                           const ProgramAnalysis &A,
                                           std::string &Obstacle);

  Form form() const { return TheForm; }
  /// Along which blocks join: 0, 1 or 2.
  unsigned axis() const { return Axis; }
  /// Writes the grid of every launch, and the LaunchTransform, for blocks that
  /// do the work of \p Items.
  void write(EditBuilder &Builder, int64_t Items) const;
  std::string evidence() const;

private:
  explicit ItemLaunches(const ProgramAnalysis &A) : A(&A) {}
  bool findLaunches(const Kernel &K, std::string &Obstacle);

  const ProgramAnalysis *A;
  LaunchSet Set;
  Form TheForm = Form::Loop;
  unsigned Axis = 0;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_ITEMLAUNCHES_H
