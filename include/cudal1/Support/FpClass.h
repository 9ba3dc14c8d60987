//===- FpClass.h - What may happen to floating-point results ----*- C++ -*-===//

#ifndef CUDAL1_SUPPORT_FPCLASS_H
#define CUDAL1_SUPPORT_FPCLASS_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace cudal1 {

/// What a rule may do to floating-point results, weakest guarantee last. A
/// class allows all that stands before it.
enum class FpClass {
  Exact,           ///< Bit-identical results.
  Reassociate,     ///< The same operations in another order.
  Approximate,     ///< Operations replaced by less accurate ones.
  ReducedPrecision ///< Narrower types in between.
};

/// "exact", "reassociate", "approximate" or "reduced-precision".
llvm::StringRef toString(FpClass Class);
std::optional<FpClass> parseFpClass(llvm::StringRef Text);

} // namespace cudal1

#endif // CUDAL1_SUPPORT_FPCLASS_H
