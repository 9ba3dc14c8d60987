//===- FloatPrecision.h - Doubles no better than floats ---------*- C++ -*-===//

#ifndef CUDAL1_ANALYSIS_FLOATPRECISION_H
#define CUDAL1_ANALYSIS_FLOATPRECISION_H

#include "cudal1/Analysis/Kernel.h"

namespace cudal1 {

/// True if \p P points to doubles and everything that \p K stores there was
/// rounded to `float` (or narrower) on its way: sums of computed floats, in
/// most cases. Such doubles are right to the precision of a float.
///
/// A float that is only read from memory which the kernel does not write is
/// exact: a double sum of float inputs is not meant. A sum with a term that is
/// a true double is not meant either, since the float may be a small
/// correction.
bool holdsFloatPrecision(const Kernel &K, const KernelParameter &P);

} // namespace cudal1

#endif // CUDAL1_ANALYSIS_FLOATPRECISION_H
