//===- Variant.cpp - An ordered list of rewrites and their text -----------===//

#include "cudal1/Rewrite/Variant.h"
#include "llvm/ADT/STLExtras.h"

namespace cudal1 {

FpClass Variant::fpClass() const {
  FpClass Weakest = FpClass::Exact;
  for (const Rewrite &R : Rewrites)
    Weakest = std::max(Weakest, R.Class);
  return Weakest;
}

bool Variant::needsCheck() const {
  return llvm::any_of(Rewrites,
                      [](const Rewrite &R) { return !R.Condition.empty(); });
}

std::string Variant::str() const {
  std::string Result;
  for (const Rewrite &R : Rewrites) {
    if (!Result.empty())
      Result += ", ";
    Result += R.Rule;
    // One parameter needs no name.
    if (R.Params.size() == 1)
      Result += "[" + std::to_string(R.Params.begin()->second) + "]";
    else if (!R.Params.empty())
      Result += "[" + toString(R.Params) + "]";
  }
  return Result;
}

} // namespace cudal1
