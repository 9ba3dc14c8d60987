//===- LaunchCoverage.h - Does a grid cover a count? ------------*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_LAUNCHCOVERAGE_H
#define CUDAL1_LIB_REWRITE_LAUNCHCOVERAGE_H

#include "LaunchEdits.h"

namespace cudal1 {

/// At every launch the threads along \p Axis are at least as many as the value
/// passed for the kernel's parameter \p Bound: the number of blocks is
/// `(n + B - 1) / B` or its like over the same n, for blocks of B threads, and
/// n does not change in between.
bool coversBound(const clang::ParmVarDecl &Bound, unsigned Axis,
                 const LaunchSet &Set, const ProgramAnalysis &A);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_LAUNCHCOVERAGE_H
