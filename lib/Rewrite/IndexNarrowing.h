//===- IndexNarrowing.h - 64-bit indices that fit 32 bits -------*- C++ -*-===//
//
// A GPU computes with 32 bits; a product or a quotient of 64 bits takes many
// instructions and every value two registers. Many a `size_t i` counts to a
// bound that an int holds.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_INDEXNARROWING_H
#define CUDAL1_LIB_REWRITE_INDEXNARROWING_H

#include "cudal1/Rewrite/Rule.h"

namespace cudal1 {

/// A Site for every local variable of 64 bits that can be declared with 32, and
/// with which the kernel multiplies or divides.
void findNarrowIndices(const Rule &R, const Kernel &K, const ProgramAnalysis &A,
                       std::vector<Site> &Out);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_INDEXNARROWING_H
