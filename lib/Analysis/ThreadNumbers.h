//===- ThreadNumbers.h - Threads as rows and columns of a grid --*- C++ -*-===//

#ifndef CUDAL1_LIB_ANALYSIS_THREADNUMBERS_H
#define CUDAL1_LIB_ANALYSIS_THREADNUMBERS_H

#include "cudal1/Analysis/Contraction.h"

namespace cudal1 {

/// What counts as number of a thread.
enum class NumberedAxes {
  Plane,      ///< x and y; slices along z are for others to see to.
  BlockIsRow, ///< blockIdx.x along x, and threadIdx.x along y.
  Volume      ///< x, y and z.
};

/// The numbers of a thread in the whole grid along x and y, and z in a volume:
/// blockIdx.a * (numbers of a block) + (number in the block). The latter is
/// threadIdx.a or, in a block of one dimension that the kernel cuts into rows
/// and columns, threadIdx.x / c and threadIdx.x % c. With a block for each row
/// blockIdx.x is the number along x and threadIdx.x the one along y. In a
/// volume of blocks one thread deep blockIdx.z is the number along z.
class ThreadNumbers {
public:
  ThreadNumbers(const Kernel &K, const BlockExtents &Block,
                NumberedAxes Numbered = NumberedAxes::Plane);

  /// Notes that \p V holds \p Form, which may be such a number in a block that
  /// is cut.
  void see(const clang::VarDecl *V, const Polynomial &Form);

  /// \p P with the symbol of an axis standing for the number in the grid.
  /// Nothing when it depends on threads and blocks in another way.
  std::optional<Polynomial> over(Polynomial P) const;
  /// How many axes have numbers.
  unsigned axes() const { return Numbered == NumberedAxes::Volume ? 3 : 2; }
  /// The symbol that stands for the number along \p Axis.
  SymbolId symbol(unsigned Axis) const { return Local[Axis]; }
  /// Each thread of a block has its own pair of numbers: nothing was cut, or
  /// one is the quotient and the other the remainder by one constant.
  bool areOnePerThread() const;
  /// Numbers of a block along \p Axis, where the kernel cuts it.
  std::optional<int64_t> cutExtent(unsigned Axis) const { return Cut[Axis]; }

private:
  std::optional<Polynomial> overRows(Polynomial P) const;

  const Kernel &K;
  BlockExtents Block;
  NumberedAxes Numbered;
  std::array<SymbolId, 3> Local;
  std::array<std::optional<int64_t>, 3> Cut;
  std::array<bool, 2> IsQuotient{};
  /// Variables that hold numbers of a cut block, and their values.
  std::vector<std::pair<SymbolId, Polynomial>> Held;
};

} // namespace cudal1

#endif // CUDAL1_LIB_ANALYSIS_THREADNUMBERS_H
