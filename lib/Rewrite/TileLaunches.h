//===- TileLaunches.h - Launches of one block a tile ------------*- C++ -*-===//
//
// A kernel with one thread an element is launched with a grid that covers the
// rows and columns. When a block comes to compute a tile, grid and block change
// at every launch.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_TILELAUNCHES_H
#define CUDAL1_LIB_REWRITE_TILELAUNCHES_H

#include "LaunchCoverage.h"
#include "cudal1/Analysis/Contraction.h"

namespace cudal1 {

class TileLaunches {
public:
  /// The launches of \p K, one and all able to be changed, whose grids cover
  /// \p Rows and \p Columns, which lie along x and y or y and x; otherwise
  /// nothing, and \p Obstacle says why. A coordinate without a guard gets one
  /// that says how many threads all launches start, where that is seen.
  static std::optional<TileLaunches>
  of(const Kernel &K, const ProgramAnalysis &A, ContractionCoordinate &Rows,
     ContractionCoordinate &Columns, std::string &Obstacle);

  /// Threads of a block along x, y and z, where all launches agree.
  static BlockExtents blockExtents(const Kernel &K, const ProgramAnalysis &A);

  /// A grid of tiles of \p Rows x \p Columns has no more blocks along y than
  /// CUDA allows.
  bool allow(int64_t Rows, int64_t Columns) const;
  /// Writes grid and block of every launch, and the LaunchTransform. A block
  /// gets \p Threads along x and y.
  void write(EditBuilder &Builder, int64_t Rows, int64_t Columns,
             std::array<int64_t, 2> Threads) const;
  std::string evidence() const;

private:
  TileLaunches(const ProgramAnalysis &A, const ContractionCoordinate &Rows,
               const ContractionCoordinate &Columns)
      : A(&A), RowAxis(Rows.Axis), ColumnAxis(Columns.Axis) {
    Cut[RowAxis] = Rows.Threads;
    Cut[ColumnAxis] = Columns.Threads;
  }
  std::optional<int64_t> threads(const Launch &L, unsigned Axis) const {
    return Cut[Axis] ? Cut[Axis] : L.BlockExtent[Axis].Value;
  }
  std::optional<TileBound> startedThreads(const Kernel &K,
                                          ContractionCoordinate &C) const;
  std::string blocks(const Launch &L, const TileBound &Bound, unsigned Axis,
                     int64_t Tile, clang::SourceLocation Before) const;

  const ProgramAnalysis *A;
  LaunchSet Set;
  unsigned RowAxis, ColumnAxis;
  /// Numbers of a block along x and y, where the kernel cuts it itself.
  BlockExtents Cut;
  TileBound Rows, Columns;
};

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_TILELAUNCHES_H
