//===- StoredProduct.h - Values that memory rounds ---------------*- C++
//-*-===//
//
// A product that goes through memory is rounded on its way. Where a rewrite
// keeps it in a register, a compiler may contract it with an addition that uses
// it, and round once.
//
//===----------------------------------------------------------------------===//

#ifndef CUDAL1_LIB_REWRITE_STOREDPRODUCT_H
#define CUDAL1_LIB_REWRITE_STOREDPRODUCT_H

#include "cudal1/Analysis/Kernel.h"
#include "cudal1/Support/FpClass.h"

namespace cudal1 {

/// The last step in computing \p E may be a multiplication, which a compiler
/// contracts with an addition that uses its result.
bool mayBeProduct(const clang::Expr *E);

/// Reassociate where \p K may store a product of floating point through
/// \p Base, or through anything when that is null; else exact.
FpClass classOfStores(const Kernel &K, const clang::ValueDecl *Base = nullptr);

} // namespace cudal1

#endif // CUDAL1_LIB_REWRITE_STOREDPRODUCT_H
