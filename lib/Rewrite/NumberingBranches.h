//===- NumberingBranches.h - #if around thread numbers ----------*- C++ -*-===//
//
// Authors try out which axis of the grid becomes the row: one `#if` branch
// declares row and column one way, the other branch the other way. A kernel
// that is computed in tiles numbers its threads by itself and needs neither.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_NUMBERINGBRANCHES_H
#define CUDAL1_LIB_REWRITE_NUMBERINGBRANCHES_H

#include "cudal1/Analysis/Contraction.h"

namespace cudal1 {

/// The directives in the body of \p K, pragmas aside, are one `#if` or `#ifdef`
/// with its `#else` and `#endif`, whose branches, inactive ones included,
/// declare nothing but variables of the names of \p Coordinates as sums and
/// products of thread indices, block extents and numbers.
bool branchesOnlyNumberThreads(
    const Kernel &K, llvm::ArrayRef<ContractionCoordinate> Coordinates);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_NUMBERINGBRANCHES_H
