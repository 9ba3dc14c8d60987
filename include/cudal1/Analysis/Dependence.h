//===- Dependence.h - Do two accesses of a loop nest meet? ------*- C++ -*-===//
//
// Two accesses of one thread to one array, each in some iteration of the loops
// around both: for which pairs of iterations can they touch the same element?
// The classic questions of distance and direction, on index polynomials, whose
// coefficients may be sizes that only a run knows.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_ANALYSIS_DEPENDENCE_H
#define CUDAL1_ANALYSIS_DEPENDENCE_H

#include "cudal1/Analysis/Kernel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace cudal1 {

/// Iterations of one loop from one access to the other; nothing when it may be
/// any number.
using IterationDistance = std::optional<int64_t>;

struct Dependence {
  /// One for each loop of the nest, outermost first: the iteration of the
  /// second access less that of the first, wherever they meet.
  std::vector<IterationDistance> Distances;
};

/// How \p First and \p Second, both evaluated by one thread inside of all loops
/// of \p Nest (outermost first, each counted with a constant step), meet;
/// nothing when they never do. They have one base; of accesses whose index is
/// not linear in the loops' variables every distance may be.
/// \p IsPositive proves that a polynomial over values that the nest does not
/// change is greater than zero.
std::optional<Dependence>
findDependence(const Kernel &K, const MemoryAccess &First,
               const MemoryAccess &Second, llvm::ArrayRef<const Loop *> Nest,
               llvm::function_ref<bool(const Polynomial &)> IsPositive);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_DEPENDENCE_H
