//===- RandomSteps.h - Random sequences of steps ----------------*- C++ -*-===//

#ifndef CUDAL1_LIB_SEARCH_RANDOMSTEPS_H
#define CUDAL1_LIB_SEARCH_RANDOMSTEPS_H

#include "SearchRun.h"
#include <random>

namespace cudal1 {

/// An even draw below \p Bound. std::uniform_int_distribution differs between
/// standard libraries, which would make seeds mean different things.
inline uint64_t draw(std::mt19937_64 &Random, uint64_t Bound) {
  return Random() % Bound;
}

/// The current Variant and one to four random steps, each drawn evenly from the
/// sites (and then from the choices) of the Variant before it, in kernels that
/// matter. The problem is then somewhere on the way. Fewer steps where there
/// are none; the current Variant itself where nothing can be done.
Variant randomSteps(SearchRun &Run, std::mt19937_64 &Random);

} // namespace cudal1

#endif // CUDAL1_LIB_SEARCH_RANDOMSTEPS_H
