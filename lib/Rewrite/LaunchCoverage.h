//===- LaunchCoverage.h - Does a grid cover a count? ------------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_LAUNCHCOVERAGE_H
#define CUDAL1_LIB_REWRITE_LAUNCHCOVERAGE_H

#include "LaunchEdits.h"
#include "cudal1/Analysis/Contraction.h"

namespace cudal1 {

/// At every launch the threads along \p Axis are at least as many as the value
/// passed for the kernel's parameter \p Bound: the number of blocks is
/// `(n + B - 1) / B` or its like over the same n, for blocks of B threads, and
/// n does not change in between. \p Threads stands for B where the kernel does
/// not use the block's own extent.
bool coversBound(const clang::ParmVarDecl &Bound, unsigned Axis,
                 const LaunchSet &Set, const ProgramAnalysis &A,
                 std::optional<int64_t> Threads = std::nullopt);

/// What bounds the elements along one axis.
struct TileBound {
  /// A parameter of the kernel, or null for a constant.
  const clang::ParmVarDecl *Parameter = nullptr;
  int64_t Constant = 0;
  /// Not 0: the parameter's value is rounded down to multiples of it.
  int64_t Multiple = 0;
};

/// The bound of one of the guards of \p C whose elements every launch covers.
std::optional<TileBound> coveredBound(const ContractionCoordinate &C,
                                      const LaunchSet &Set,
                                      const ProgramAnalysis &A);

/// The number of blocks of \p L along \p Axis, where it can be computed:
/// a constant expression, in floating point too, over the block's extents.
std::optional<int64_t> constantBlocks(const Launch &L, unsigned Axis,
                                      const ProgramAnalysis &A);

/// \p L starts blocks along \p Axis even where the value that it passes for
/// the kernel's parameter \p Bound is 0: `n / B + 1`. Without any a launch
/// fails.
bool startsForNone(const clang::ParmVarDecl &Bound, unsigned Axis,
                   const Launch &L, const ProgramAnalysis &A,
                   std::optional<int64_t> Threads = std::nullopt);

/// At every launch the blocks along \p Axis are exactly as many as the value n
/// passed for the kernel's parameter \p Count needs: `(n + B - 1) / B` for
/// blocks of B threads.
bool startsBlocksFor(const clang::ParmVarDecl &Count, unsigned Axis,
                     const LaunchSet &Set, const ProgramAnalysis &A);

/// At every launch the threads along \p Axis are the value n passed for the
/// kernel's parameter \p Count rounded down to whole blocks: the number of
/// blocks is `n / B` for blocks of B threads.
bool startsWholeBlocksOf(const clang::ParmVarDecl &Count, unsigned Axis,
                         const LaunchSet &Set, const ProgramAnalysis &A,
                         std::optional<int64_t> Threads = std::nullopt);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_LAUNCHCOVERAGE_H
