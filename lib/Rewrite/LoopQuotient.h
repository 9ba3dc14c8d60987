//===- LoopQuotient.h - Quotients that a loop can count ---------*- C++ -*-===//
//
// In `for (i = a; i < b; i += s)` the values `i / n` and `i % n` of an
// unchanging n go up in a regular way. Two counters follow them at the price of
// a comparison and an addition or two, where a division costs dozens of
// instructions and nvcc does one in every iteration.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_LOOPQUOTIENT_H
#define CUDAL1_LIB_REWRITE_LOOPQUOTIENT_H

#include "cudal1/Rewrite/Rule.h"

namespace cudal1 {

/// A Site for every loop of \p K and divisor.
void findLoopQuotients(const Rule &R, const Kernel &K, const ProgramAnalysis &A,
                       std::vector<Site> &Out);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_LOOPQUOTIENT_H
