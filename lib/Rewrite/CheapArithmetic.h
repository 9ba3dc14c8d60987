//===- CheapArithmetic.h - Powers and quotients by constants ----*- C++ -*-===//

#ifndef CUDAL1_LIB_REWRITE_CHEAPARITHMETIC_H
#define CUDAL1_LIB_REWRITE_CHEAPARITHMETIC_H

#include "DeviceCode.h"

namespace cudal1 {

/// `pow(x, 2)` and its kin as products, quotients and roots. The forms with a
/// root treat -0 and -infinity in another way; those places come with a
/// condition, unless the base is seen not to be negative. With \p Roots only
/// those, else only the others.
std::vector<Place> powerPlaces(const clang::FunctionDecl *Function,
                               const Program &P, bool Roots);

/// `x / 3.0f` as `x * (1.0f / 3.0f)`. Powers of two are left to the compiler,
/// which does the same, exactly.
std::vector<Place> constantQuotientPlaces(const clang::FunctionDecl *Function,
                                          const Program &P);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_CHEAPARITHMETIC_H
